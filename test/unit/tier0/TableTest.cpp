// The table itself: order, completeness, the same on both levels.
#include "test/unit/tier0/Kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

std::vector<std::string> names(CpuLevel level) {
  size_t count = 0;
  const Tier0Kernel *kernels = tier0Kernels(level, &count);
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(kernels[i].name);
  return names;
}

TEST(Tier0TableTest, SortedAndEqualOnBothLevels) {
  auto v3 = names(CpuLevel::V3), v4 = names(CpuLevel::V4);
  EXPECT_EQ(v3, v4);
  EXPECT_TRUE(std::is_sorted(v3.begin(), v3.end()));
  EXPECT_EQ(std::adjacent_find(v3.begin(), v3.end()), v3.end());
  EXPECT_GE(v3.size(), 190u);
}

TEST(Tier0TableTest, VariantsAreThere) {
  for (CpuLevel level : {CpuLevel::V3, CpuLevel::V4}) {
    size_t count = 0;
    const Tier0Kernel *kernels = tier0Kernels(level, &count);
    for (size_t k = 0; k < count; ++k) {
      const Tier0Kernel &kernel = kernels[k];
      ASSERT_LE(kernel.inputs, 3) << kernel.name;
      ASSERT_EQ(kernel.outputs, 1) << kernel.name;
      unsigned memory = 0;
      for (unsigned i = 0; i < kernel.inputs; ++i)
        memory += kernel.access[i] != Access::Index;
      for (unsigned v = 0; v < 8; ++v) {
        bool expected = false;
        if (kernel.kind == Tier0Class::Map)
          expected = v + 1 < (1u << memory) || (v + 1 == (1u << memory) && memory < kernel.inputs) || (memory == 0 && v == 0);
        else if (kernel.kind == Tier0Class::Reduce)
          expected = v < 2;
        else
          expected = v < kernel.columns;
        EXPECT_EQ(kernel.variants[v] != nullptr, expected) << kernel.name << " variant " << v;
      }
      EXPECT_EQ(kernel.kind == Tier0Class::Matmul, kernel.rows > 0) << kernel.name;
    }
  }
}

} // namespace
} // namespace tenferro::test
