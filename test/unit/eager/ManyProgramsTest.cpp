// Thousands of structures in one process: what is evicted is given back.
#include "test/unit/eager/TestSupport.h"

#include <cstdlib>
#include <fstream>

namespace tenferro::test {

namespace {

/// Seven operations that the digits of `number` choose, below 5^7 = 78,125: another number is another structure, and
/// another kernel.
EagerTensor drawn(EagerSession &s, const EagerTensor &x, const EagerTensor &c, int number) {
  EagerTensor v = x;
  for (int i = 0; i < 7; ++i, number /= 5)
    switch (number % 5) {
    case 0:
      v = s.tanh(v);
      break;
    case 1:
      v = s.mul(v, c);
      break;
    case 2:
      v = s.mul(v, x);
      break;
    case 3:
      v = s.sigmoid(v);
      break;
    default:
      v = s.add(v, x);
    }
  return s.sum(v);
}

size_t memoryMaps() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    ++count;
  return count;
}

/// 40,000 with TENFERRO_TEST_PROGRAMS=40000, which takes minutes.
int programsToMake() {
  const char *asked = std::getenv("TENFERRO_TEST_PROGRAMS");
  return asked ? std::atoi(asked) : 250;
}

} // namespace

TEST(ManyPrograms, MapsAndMemoryStayBounded) {
  const int count = programsToMake();
  ASSERT_LE(count, 78125);
  auto runtime = EagerRuntime::create({.policy = CompilePolicy::Immediate});
  auto plain = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  auto gradient = [&](EagerRuntime &of, int number) {
    EagerTensor x = of.variable(vector({0.5, -0.25, 0.75, 1})), c = of.constant(vector({1, 0.5, -1, 0.75}));
    return valuesOf(of.grad(engine, of.session(engine, [&](EagerSession &s) { return drawn(s, x, c, number); }), x));
  };
  gradient(*runtime, 0); // opens the compiler
  gradient(*plain, 0);
  const size_t maps = memoryMaps(), resident = residentBytes();
  // Numbers far apart, so that neighbours differ everywhere; 78,125 and 31,847 have no common factor.
  for (int i = 1; i <= count; ++i) {
    const int number = static_cast<int>(int64_t{i} * 31847 % 78125);
    Values fused = gradient(*runtime, number);
    if (i % 50 == 0) {
      EXPECT_EQ(fused, gradient(*plain, number)) << number;
    }
  }
  const CacheStats stats = runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, static_cast<uint64_t>(count) + 1);
  EXPECT_LE(stats.entries, 128u);
  EXPECT_LE(memoryMaps(), maps + 40);
  if (!kAddressSanitizer) {
    EXPECT_LE(residentBytes(), resident + (size_t{100} << 20));
  }
  RecordProperty("maps", std::to_string(maps) + " -> " + std::to_string(memoryMaps()));
  RecordProperty("resident", std::to_string(resident >> 20) + " MiB -> " + std::to_string(residentBytes() >> 20) + " MiB");
}

} // namespace tenferro::test
