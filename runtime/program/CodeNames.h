// Telling profilers and debuggers what loaded code is called. Off unless the environment asks.
#ifndef TENFERRO_RUNTIME_PROGRAM_CODENAMES_H
#define TENFERRO_RUNTIME_PROGRAM_CODENAMES_H

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tenferro::runtime {

/// A function of loaded code.
struct NamedCode {
  uint64_t address = 0, size = 0;
  std::string_view name;
};

/// Code that a debugger knows; forgotten with this.
class CodeNames {
public:
  virtual ~CodeNames() = default;
};

/// Who is told, by the environment variable TENFERRO_JIT_NAMES, a comma-separated list read once (another word in it is a warning):
///  * perf: a line per function in /tmp/perf-<pid>.map, where `perf report` looks
///  * gdb: the object, by the debugger's interface for code made at run time
struct CodeListeners {
  bool perf = false, gdb = false;
  explicit operator bool() const noexcept { return perf || gdb; }
};
CodeListeners codeListeners() noexcept;

/// Tells the listeners. `object` is the ELF file with its sections' addresses in memory filled in. Null if only perf
/// listens, which is never told that code went away.
std::unique_ptr<CodeNames> announceCode(CodeListeners listeners, const std::vector<NamedCode> &functions,
                                        std::vector<uint8_t> object);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_CODENAMES_H
