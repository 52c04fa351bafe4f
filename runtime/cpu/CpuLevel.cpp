// CPUID and XGETBV: what the CPU has and what the system saves.
#include "runtime/cpu/CpuLevel.h"

#include "runtime/core/Failures.h"

#include <cpuid.h>
#include <string>

namespace tenferro::runtime {

static uint64_t enabledStates() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

core::Expected<CpuLevel> detectCpuLevel() {
  uint32_t a = 0, b = 0, c1 = 0, d = 0, b7 = 0, c = 0, cExtended = 0;
  if (!__get_cpuid(1, &a, &b, &c1, &d))
    c1 = 0;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c, &d))
    b7 = 0;
  if (!__get_cpuid(0x80000001, &a, &b, &cExtended, &d))
    cExtended = 0;

  std::string missing;
  auto need = [&](bool has, const char *what) {
    if (!has)
      missing += missing.empty() ? what : std::string(" ") + what;
  };
  bool osxsave = c1 & bit_OSXSAVE;
  need(c1 & bit_FMA, "fma");
  need(c1 & bit_MOVBE, "movbe");
  need(c1 & bit_F16C, "f16c");
  need(b7 & bit_AVX2, "avx2");
  need(b7 & bit_BMI, "bmi1");
  need(b7 & bit_BMI2, "bmi2");
  need(cExtended & bit_LZCNT, "lzcnt");
  uint64_t states = osxsave ? enabledStates() : 0;
  need((states & 0x6) == 0x6, "a system that saves ymm registers");
  if (!missing.empty())
    return makeFailure(ErrorKind::Unsupported, "cpu", "expects a CPU of level x86-64-v3, but it lacks " + missing);

  bool avx512 =
      (b7 & bit_AVX512F) && (b7 & bit_AVX512BW) && (b7 & bit_AVX512CD) && (b7 & bit_AVX512DQ) && (b7 & bit_AVX512VL);
  return avx512 && (states & 0xE6) == 0xE6 ? CpuLevel::V4 : CpuLevel::V3;
}

CpuLevel cpuLevel() {
  // Never destroyed: destructors of static objects may compute.
  static const auto &found = *new core::Expected<CpuLevel>(detectCpuLevel());
  if (!found)
    raise(found.failure());
  return *found;
}

std::string_view name(CpuLevel level) noexcept { return level == CpuLevel::V4 ? "x86-64-v4" : "x86-64-v3"; }

} // namespace tenferro::runtime
