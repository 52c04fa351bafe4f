// Where the values of a program are: base, offset and strides, through all views. Internal to loading and running
// programs.
#ifndef TENFERRO_RUNTIME_PROGRAM_VALUERESOLVER_H
#define TENFERRO_RUNTIME_PROGRAM_VALUERESOLVER_H

#include "runtime/core/TensorView.h"
#include "runtime/program/Program.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace tenferro::runtime {

/// Base addresses that are known when a program runs, by number: these, then the arguments, then the results. The base
/// of slot 0 is null: the offset of an Index operand is its first value.
inline constexpr uint32_t kIndexSlot = 0, kArenaSlot = 1, kConstantSlot = 2, kFirstArgumentSlot = 3;

/// A value resolved through its views: it starts `offset` bytes from the base `slot`.
struct ResolvedValue {
  uint32_t slot = 0;
  int64_t offset = 0;
  IntList strides; ///< in elements
};

/// Resolves values of a program. With `arguments`, the strides of those that `copied` does not mark are used; all others
/// are contiguous. Remembers views of views: chains of them may be long.
class ValueResolver {
public:
  explicit ValueResolver(const Program &program) : program_(program) {}
  ValueResolver(const Program &program, std::span<const TensorView *const> arguments, const std::vector<bool> &copied)
      : program_(program), arguments_(arguments), copied_(&copied) {}

  ResolvedValue resolve(uint32_t value);

private:
  ResolvedValue resolveStored(const ProgramValue &value) const;
  static ResolvedValue resolveView(const ProgramValue &value, const ResolvedValue &source);

  const Program &program_;
  std::span<const TensorView *const> arguments_;
  const std::vector<bool> *copied_ = nullptr; ///< set with arguments
  std::unordered_map<uint32_t, ResolvedValue> views_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_VALUERESOLVER_H
