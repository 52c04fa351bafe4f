// The part of long element-wise kernels that is the same in all of them, compiled once.
#include "runtime/launch/VectorLoop.h"

#include <cstring>

namespace tenferro::runtime {

namespace {

using Vector = unsigned char[kMaxVectorBytes];

/// As memcpy of at most a vector, without a call.
inline void copyPart(void *target, const void *source, int64_t bytes) noexcept {
  auto *to = static_cast<unsigned char *>(target);
  auto *from = static_cast<const unsigned char *>(source);
  for (int64_t step = kMaxVectorBytes / 2; step; step /= 2)
    if (bytes & step) {
      std::memcpy(to, from, static_cast<size_t>(step));
      to += step;
      from += step;
    }
}

} // namespace

Status runVectorLoop(void *const *args, VectorLoop loop, const int64_t *outer, int64_t n, int64_t m,
                     const VectorLoopShape *shape) noexcept {
  if (n <= 0 || m <= 0)
    return kOk;
  const int64_t vectorEnd = n & -int64_t{shape->lanes}, rest = n - vectorEnd;
  const int32_t operands = shape->operands, inputs = shape->inputs;
  void *moved[kMaxLoopOperands], *copies[kMaxLoopOperands];
  alignas(kMaxVectorBytes) Vector memory[kMaxLoopOperands];
  for (int64_t row = 0;;) {
    if (vectorEnd)
      loop(args, vectorEnd);
    if (rest) {
      auto restOf = [&](int32_t k) { return static_cast<unsigned char *>(args[k]) + vectorEnd * shape->sizes[k]; };
      for (int32_t k = 0; k < operands; ++k) {
        copies[k] = shape->sizes[k] ? memory[k] : args[k];
        if (k < inputs)
          copyPart(std::memset(memory[k], 0, kMaxVectorBytes), restOf(k), rest * shape->sizes[k]);
      }
      loop(copies, shape->lanes);
      for (int32_t k = inputs; k < operands; ++k)
        copyPart(restOf(k), memory[k], rest * shape->sizes[k]);
    }
    if (++row == m)
      return kOk;
    for (int32_t k = 0; k < operands; ++k)
      moved[k] = static_cast<unsigned char *>(args[k]) + outer[k];
    args = moved;
  }
}

const void *functionForCode(const char *name) noexcept {
  return std::strcmp(name, kRunVectorLoop) == 0 ? reinterpret_cast<const void *>(&runVectorLoop) : nullptr;
}

} // namespace tenferro::runtime
