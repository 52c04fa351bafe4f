// The floating-point environment kernels run in, whatever the user's is.
#ifndef TENFERRO_RUNTIME_CORE_FLOATENVIRONMENT_H
#define TENFERRO_RUNTIME_CORE_FLOATENVIRONMENT_H

#include <cstdint>
#include <immintrin.h>

namespace tenferro::runtime {

/// While alive, the thread rounds to nearest, keeps subnormals and traps nothing; the user's MXCSR comes back
/// afterwards. Held by every outermost call and by pool workers. Nested guards cost a register read.
class FloatEnvironment {
public:
  FloatEnvironment() noexcept : saved_(_mm_getcsr()) {
    if ((saved_ & kControl) != kDefault)
      _mm_setcsr(kDefault);
  }
  ~FloatEnvironment() {
    if ((saved_ & kControl) != kDefault)
      _mm_setcsr(saved_);
  }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  static constexpr uint32_t kControl = 0xFFC0; ///< all but the sticky flags
  static constexpr uint32_t kDefault = 0x1F80;
  uint32_t saved_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_FLOATENVIRONMENT_H
