// The wall: the one interface of libtenferro-compiler. No LLVM or MLIR on this side.
#ifndef TENFERRO_COMPILER_COMPILEINTERFACE_H
#define TENFERRO_COMPILER_COMPILEINTERFACE_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"
#include "runtime/core/Program.h"

#include <functional>
#include <string>
#include <string_view>

namespace tenferro::compiler {

/// Bumped when the meaning of any rule, expansion or pass changes; a component of every structure key.
inline constexpr int kRuleSetVersion = 1;
inline constexpr int kPipelineVersion = 1;

/// Stages at which a compile can be watched, in order.
enum class Stage : uint8_t { Trace, Frozen, Linearized, Transposed, Fused, Lowered, Llvm, Asm };

struct CompileRequest {
  const core::Graph *graph = nullptr;
  core::Transform transform;
  runtime::CpuLevel level = runtime::CpuLevel::V3;
  /// true: fused JIT kernels (tier 1). false: one launch per operation on precompiled kernels (tier 0), no code generation.
  bool fuse = true;
  /// Called with the text of each stage if set.
  std::function<void(Stage, std::string_view)> dump;
};

/// Compiles. Never throws; reentrant (calls are serialised inside).
core::Expected<runtime::CompiledArtifact> compile(const CompileRequest &request);

/// The exported entry of the shared library: `compile` through a C name, for dlopen.
using CompileEntry = core::Expected<runtime::CompiledArtifact> (*)(const CompileRequest &);
inline constexpr const char *kCompileEntryName = "tenferroCompile";

/// Returns the interface the library was built with (InterfaceId.h); another one must not be called.
using InterfaceEntry = const char *(*)();
inline constexpr const char *kInterfaceEntryName = "tenferroCompilerInterface";

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_COMPILEINTERFACE_H
