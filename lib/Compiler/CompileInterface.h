// The wall: the one interface of libtenferro-compiler. No LLVM or MLIR on this side.
#ifndef TENFERRO_COMPILER_COMPILEINTERFACE_H
#define TENFERRO_COMPILER_COMPILEINTERFACE_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"
#include "runtime/program/Program.h"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace tenferro::compiler {

/// Bumped when the meaning of any rule, expansion or pass changes; a component of every structure key.
inline constexpr int kRuleSetVersion = 4;
inline constexpr int kPipelineVersion = 6;

/// Stages at which a compile can be watched, in order.
enum class Stage : uint8_t { Trace, Frozen, Linearized, Transposed, Fused, Lowered, Llvm, Asm };

/// A place in the user's source; without a file where it is not known.
struct SourcePlace {
  std::string file;
  int line = 0;
};

struct CompileRequest {
  const core::Graph *graph = nullptr;
  core::Transform transform;
  runtime::CpuLevel level = runtime::CpuLevel::V3;
  /// true: fused JIT kernels (tier 1). false: one launch per operation on precompiled kernels (tier 0), no code
  /// generation.
  bool fuse = true;
  /// Of the background thread: served apart from all others, which never wait for it.
  bool background = false;
  /// Where the user wrote operation k of the graph: for failures and the text of the stages. May be unset.
  /// Operations of a program that operation N calls follow at N + 1, where the call has no place itself.
  std::function<SourcePlace(uint32_t)> place;
  /// Called with the text of each stage if set.
  std::function<void(Stage, std::string_view)> dump;
  /// Read between stages and kernels: once it is true the compile fails, with RuntimeState. May be null.
  const std::atomic<bool> *abandoned = nullptr;
};

/// Compiles. Never throws; reentrant (calls are serialised inside, those in the background and all others apart).
core::Expected<runtime::CompiledArtifact> compile(const CompileRequest &request);

/// The exported entry of the shared library: `compile` through a C name, for dlopen.
using CompileEntry = core::Expected<runtime::CompiledArtifact> (*)(const CompileRequest &);
inline constexpr const char *kCompileEntryName = "tenferroCompile";

//===- Explanations: text about a program that nobody runs ------------------------------------------------------===//

/// A place in the user's source, as it is shown beside what comes from it.
struct SourceLine {
  std::string place; ///< "readme.cpp:11"; empty if it is not known
  std::string text;  ///< the line, or empty where the file cannot be read
};

/// An input of the graph as the user knows it.
struct InputNote {
  std::string name; ///< a word: "variable", "constant", "kept_tanh"
  std::string note; ///< "variable, made at readme.cpp:8"
};

enum class Explanation : uint8_t {
  Gradient,  ///< the derivative program with the user's lines beside it
  Residuals, ///< what the graph's `saved` are needed for, and what it would cost to compute them again
};

struct ExplainRequest {
  Explanation what = Explanation::Gradient;
  const core::Graph *graph = nullptr;
  core::Transform transform;
  std::vector<SourceLine> lines; ///< of the operations; may be shorter
  std::vector<InputNote> inputs; ///< of the graph's inputs; may be shorter
};

/// The text. Fails as `compile` does.
core::Expected<std::string> explain(const ExplainRequest &request);

using ExplainEntry = core::Expected<std::string> (*)(const ExplainRequest &);
inline constexpr const char *kExplainEntryName = "tenferroExplain";

/// Called before the first compile: no fork begins while a call is in flight, the caller sees to that. Otherwise forks
/// wait for calls by themselves, which whoever waits for calls with handlers of its own must not rely on: handlers run
/// in the reverse order of their registration, and those of a library begin with its loading.
void leaveForksToHost() noexcept;

/// Returns the interface the library was built with (InterfaceId.h); another one must not be called. The library then
/// leaves forks to the caller.
using InterfaceEntry = const char *(*)();
inline constexpr const char *kInterfaceEntryName = "tenferroCompilerInterface";

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_COMPILEINTERFACE_H
