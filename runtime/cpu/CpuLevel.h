// Which of the two CPU levels this machine reaches.
#ifndef TENFERRO_RUNTIME_CPU_CPULEVEL_H
#define TENFERRO_RUNTIME_CPU_CPULEVEL_H

#include "lib/Core/Expected.h"
#include "runtime/core/KernelAbi.h"

#include <string_view>

namespace tenferro::runtime {

/// The highest level whose instructions the CPU has and the system saves the registers of: v3 (avx2 fma bmi1 bmi2 f16c
/// lzcnt movbe), v4 (and avx512 f bw cd dq vl). An older CPU is an Unsupported failure that names what is missing.
core::Expected<CpuLevel> detectCpuLevel();

/// `detectCpuLevel`, found once; raises its failure.
CpuLevel cpuLevel();

/// "x86-64-v3".
std::string_view name(CpuLevel level) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CPU_CPULEVEL_H
