// Byte arithmetic on operands. Internal to the launch drivers.
#ifndef TENFERRO_RUNTIME_CORE_ADDRESS_H
#define TENFERRO_RUNTIME_CORE_ADDRESS_H

#include <cstdint>

namespace tenferro::runtime {

/// `address` plus `bytes`. An Access::Index operand is a number, often from null, so this is integer arithmetic.
inline void *offset(void *address, int64_t bytes) noexcept {
  return reinterpret_cast<void *>(reinterpret_cast<intptr_t>(address) + bytes);
}

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_ADDRESS_H
