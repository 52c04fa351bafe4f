// Every function against tables of correctly rounded results (test/data/math/*.txt), as scalar and vector code for each
// CPU level of this machine: within the stated error, the sign of zero right, and all four the same bits.
#include "test/unit/ExpandMath/Functions.h"
#include "test/unit/ExpandMath/JitFunction.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>

namespace tenferro::test {

template <class T> struct Table {
  std::vector<T> x, y, want;
};

template <class T> static Table<T> readTable(const Function &f) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Table<T> table;
  std::ifstream file(std::string(TENFERRO_TEST_DATA "/math/") + f.name + ".txt");
  bool active = false;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#')
      continue;
    if (line[0] == 'f' && line.size() == 3) {
      active = line == (sizeof(T) == 8 ? "f64" : "f32");
      continue;
    }
    if (!active)
      continue;
    std::istringstream words(line);
    words >> std::hex;
    Bits x = 0, y = 0, want = 0;
    words >> x;
    if (f.isBinary)
      words >> y;
    words >> want;
    EXPECT_FALSE(words.fail()) << line;
    table.x.push_back(std::bit_cast<T>(x));
    table.y.push_back(std::bit_cast<T>(y));
    table.want.push_back(std::bit_cast<T>(want));
  }
  return table;
}

template <class T> static bool sameValue(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

template <class T> static void checkTable(const Function &f) {
  if (cpuLevels().empty())
    GTEST_SKIP() << "needs x86-64-v3";
  Table<T> table = readTable<T>(f);
  ASSERT_GT(table.x.size(), 200u) << f.name;
  double limit = sizeof(T) == 8 ? f.maxUlpF64 : f.maxUlpF32;
  std::vector<T> first;
  for (const std::string &cpu : cpuLevels())
    for (int width : {1, 8, 16}) {
      SCOPED_TRACE(std::string(f.name) + (sizeof(T) == 8 ? " f64 " : " f32 ") + cpu + " x" + std::to_string(width));
      JitFunction jit(f.body, sizeof(T) == 8, width, cpu);
      ASSERT_TRUE(jit);
      EXPECT_EQ(jit.calls(), "");
      std::vector<T> got = jit(table.x, table.y);
      if (first.empty())
        first = got;
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(sameValue(got[i], first[i]))
            << std::hexfloat << table.x[i] << " " << table.y[i] << ": " << got[i] << ", scalar " << first[i];
        // The reference is rounded, so a result within `limit` of the true value may be a whole number of ulps off.
        bool passes = ulpError(got[i], table.want[i]) <= std::floor(limit + 0.5);
        if (table.want[i] == 0)
          passes = passes && std::signbit(got[i]) == std::signbit(table.want[i]);
        EXPECT_TRUE(passes) << std::hexfloat << f.name << "(" << table.x[i] << ", " << table.y[i] << ") = " << got[i]
                            << ", want " << table.want[i];
      }
    }
}

class ExpandMathTable : public testing::TestWithParam<size_t> {};

TEST_P(ExpandMathTable, f32) { checkTable<float>(functions()[GetParam()]); }
TEST_P(ExpandMathTable, f64) { checkTable<double>(functions()[GetParam()]); }

static std::vector<size_t> withTable() {
  std::vector<size_t> indices;
  for (size_t i = 0; i < functions().size(); ++i)
    if (std::ifstream(std::string(TENFERRO_TEST_DATA "/math/") + functions()[i].name + ".txt"))
      indices.push_back(i);
  return indices;
}

TEST(ExpandMathTables, allFound) { EXPECT_EQ(withTable().size(), 26u); }

INSTANTIATE_TEST_SUITE_P(Functions, ExpandMathTable, testing::ValuesIn(withTable()),
                         [](const auto &info) { return std::string(functions()[info.param].name); });

} // namespace tenferro::test
