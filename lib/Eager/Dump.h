// Watching the stages of a compile.
#ifndef TENFERRO_EAGER_DUMP_H
#define TENFERRO_EAGER_DUMP_H

#include "lib/Compiler/CompileInterface.h"
#include "tenferro/EagerRuntime.h"

#include <functional>
#include <string_view>

namespace tenferro::eager {

using DumpFunction = std::function<void(compiler::Stage, std::string_view)>;

/// What a runtime does with stages: the caller's function, or printing the stages that TENFERRO_DUMP names to stderr, or
/// nothing (an empty function). Raises InvalidArgument for a stage that does not exist.
DumpFunction dumpFunction(const RuntimeOptions &options);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_DUMP_H
