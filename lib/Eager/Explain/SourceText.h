// The user's own lines, read back from the source files where they are still there.
#ifndef TENFERRO_EAGER_EXPLAIN_SOURCETEXT_H
#define TENFERRO_EAGER_EXPLAIN_SOURCETEXT_H

#include "lib/Compiler/CompileInterface.h"

#include <map>
#include <source_location>
#include <string>
#include <vector>

namespace tenferro::eager {

/// Reads each file once. A relative path, as compilers write them, is looked for from the working directory, then from
/// the program's folder and the folders above it.
class SourceText {
public:
  /// "readme.cpp:11" and the line without the space around it; the text is empty where the file cannot be read.
  compiler::SourceLine line(const std::source_location &where);

  /// The name in "auto x = rt->variable(...)", if the line is written like that; else empty.
  std::string declaredName(const std::source_location &where);

private:
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXPLAIN_SOURCETEXT_H
