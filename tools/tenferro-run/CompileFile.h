// A function of an IR file as a compiled program.
#ifndef TENFERRO_TOOLS_TENFERRO_RUN_COMPILEFILE_H
#define TENFERRO_TOOLS_TENFERRO_RUN_COMPILEFILE_H

#include "lib/Compiler/CompileInterface.h"

#include <string>

namespace tenferro::compiler {

/// Parses `path` ("-": standard input) and compiles its function `entry` (may be empty where there is one). Diagnostics go to
/// standard error; the failure is a summary. `options.graph` and `options.transform` are not used; the operation number
/// of an error is the line of the operation.
core::Expected<runtime::CompiledArtifact> compileFile(const std::string &path, const std::string &entry,
                                                      const CompileRequest &options);

} // namespace tenferro::compiler

#endif // TENFERRO_TOOLS_TENFERRO_RUN_COMPILEFILE_H
