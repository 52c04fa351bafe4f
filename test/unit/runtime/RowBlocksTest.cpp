// Launches that run together on blocks of rows: which ones do, and that they compute what they do one after the other,
// as in a program that an observer looks at.
#include "runtime/program/ExecutableProgram.h"
#include "test/unit/runtime/HandwrittenProgram.h"

#include <cstring>
#include <random>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

struct Nobody : LaunchObserver {
  void before(size_t, std::span<const TensorView *const>) override {}
  void after(size_t, std::span<const TensorView *const>) override {}
};

using Groups = std::vector<std::pair<size_t, size_t>>; ///< first launch, count

Groups groupsOf(const LoadedProgram &program) {
  Groups groups;
  for (const RowBlocks &group : static_cast<const ExecutableProgram &>(program).rowBlocks())
    groups.emplace_back(group.first(), group.count());
  return groups;
}

/// Small whole numbers: their sums are exact.
std::vector<double> numbers(int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i * 2654435761u >> 7 & 7) - 3;
  return values;
}

/// All results of a program of one argument, whose launches run together or not.
std::vector<std::vector<double>> run(const LoadedProgram &program, const TensorView &argument, size_t results,
                                     int threads, bool together) {
  Nobody nobody;
  std::vector<BufferRef> buffers(results);
  EXPECT_EQ(program.run({&argument, 1}, buffers, threads, nullptr, together ? nullptr : &nobody), std::nullopt);
  std::vector<std::vector<double>> values;
  for (const BufferRef &buffer : buffers)
    values.push_back(doubles(buffer));
  return values;
}

constexpr int64_t kWidth = 100, kRows = 3001;

uint32_t alongRows(Builder &b, uint32_t rows) { return b.view(rows, {kWidth, kRows}, {-1, 0}, {0, 0}, {0, 1}); }

void sumRows(Builder &b, uint32_t from, uint32_t to) { b.launch(LaunchKind::Reduce, "sum.f64", {from, to}).axes = {0}; }

} // namespace

TEST(RowBlocks, MapsAndReductionsOfRows) {
  // d = x - its sums; out = d * the sums of d * d: five launches, whose inner values are needed nowhere else.
  Builder b;
  const Shape shape{kWidth, kRows};
  uint32_t x = b.argument(DType::F64, shape), sums = b.arena(DType::F64, {kRows}), d = b.arena(DType::F64, shape);
  uint32_t squares = b.arena(DType::F64, shape), norms = b.arena(DType::F64, {kRows}),
           out = b.result(DType::F64, shape);
  sumRows(b, x, sums);
  b.map("sub.f64", {x, alongRows(b, sums), d});
  b.map("mul.f64", {d, d, squares});
  sumRows(b, squares, norms);
  b.map("mul.f64", {d, alongRows(b, norms), out});
  auto program = load(b.artifact());
  EXPECT_EQ(groupsOf(*program), (Groups{{0, 5}}));
  std::vector<double> values = numbers(kWidth * kRows), expected(values.size());
  for (int64_t r = 0; r < kRows; ++r) {
    const double *row = values.data() + r * kWidth;
    double sum = 0, norm = 0;
    for (int64_t i = 0; i < kWidth; ++i)
      sum += row[i];
    for (int64_t i = 0; i < kWidth; ++i)
      norm += (row[i] - sum) * (row[i] - sum);
    for (int64_t i = 0; i < kWidth; ++i)
      expected[static_cast<size_t>(r * kWidth + i)] = (row[i] - sum) * norm;
  }
  const TensorView argument = TensorView::contiguous(values.data(), DType::F64, shape);
  for (int threads : {1, 2})
    for (bool together : {false, true})
      EXPECT_EQ(run(*program, argument, 1, threads, together)[0], expected) << threads << together;
  // An argument that is not contiguous changes plans; its rows do not run together.
  std::vector<double> wide(2 * values.size());
  for (size_t i = 0; i < values.size(); ++i)
    wide[2 * i] = values[i];
  EXPECT_EQ(run(*program, TensorView(wide.data(), DType::F64, shape, IntList{2, 2 * kWidth}), 1, 1, true)[0], expected);
}

TEST(RowBlocks, ValuesThatAreNeededLaterAreThere) {
  // The sums over rows end the group, and read what it has made.
  Builder b;
  const Shape shape{kWidth, kRows};
  uint32_t x = b.argument(DType::F64, shape), doubled = b.arena(DType::F64, shape),
           squares = b.arena(DType::F64, shape);
  uint32_t sums = b.result(DType::F64, {kRows}), columns = b.result(DType::F64, {kWidth});
  b.map("add.f64", {x, x, doubled});
  b.map("mul.f64", {doubled, doubled, squares});
  sumRows(b, squares, sums);
  b.launch(LaunchKind::Reduce, "sum.f64", {doubled, columns}).axes = {1};
  auto program = load(b.artifact());
  EXPECT_EQ(groupsOf(*program), (Groups{{0, 3}}));
  std::vector<double> values = numbers(kWidth * kRows), rowSums(kRows, 0), columnSums(kWidth, 0);
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t i = 0; i < kWidth; ++i) {
      const double twice = 2 * values[static_cast<size_t>(r * kWidth + i)];
      rowSums[static_cast<size_t>(r)] += twice * twice;
      columnSums[static_cast<size_t>(i)] += twice;
    }
  const TensorView argument = TensorView::contiguous(values.data(), DType::F64, shape);
  for (int threads : {1, 2}) {
    const auto results = run(*program, argument, 2, threads, true);
    EXPECT_EQ(results[0], rowSums);
    EXPECT_EQ(results[1], columnSums);
  }
}

TEST(RowBlocks, MemoryOfTwoLayoutsEndsAGroup) {
  // The sums of -x lie where the last rows of 2 x were: what a later block writes there must not come after them.
  Builder b;
  const Shape shape{kWidth, kRows};
  uint32_t x = b.argument(DType::F64, shape), doubled = b.arena(DType::F64, shape), sums = b.arena(DType::F64, {kRows});
  uint32_t negative = b.arena(DType::F64, shape);
  const int64_t end = kWidth * kRows * 8 & ~int64_t{63};
  uint32_t late = b.value(DType::F64, {kRows}, StorageKind::Arena, 0, end - 8 * (kRows + 7));
  uint32_t out = b.result(DType::F64, {kRows}), total = b.result(DType::F64, {});
  b.map("add.f64", {x, x, doubled});
  sumRows(b, doubled, sums);
  b.map("neg.f64", {x, negative});
  sumRows(b, negative, late);
  b.map("add.f64", {sums, late, out});
  b.launch(LaunchKind::Reduce, "sum.f64", {late, total}).axes = {0};
  auto program = load(b.artifact());
  EXPECT_EQ(groupsOf(*program), (Groups{{0, 3}}));
  std::vector<double> values = numbers(kWidth * kRows), rowSums(kRows, 0);
  double sum = 0;
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t i = 0; i < kWidth; ++i) {
      rowSums[static_cast<size_t>(r)] += values[static_cast<size_t>(r * kWidth + i)];
      sum -= values[static_cast<size_t>(r * kWidth + i)];
    }
  const TensorView argument = TensorView::contiguous(values.data(), DType::F64, shape);
  for (bool together : {false, true}) {
    const auto results = run(*program, argument, 2, 1, together);
    EXPECT_EQ(results[0], rowSums); // twice them, without them
    EXPECT_EQ(results[1], std::vector<double>{sum});
  }
}

TEST(RowBlocks, ValuesThatFollowEachOtherInOnePlace) {
  // a = x + x is done when b = -x takes its place; b is needed behind the group, so none of the two has rows of a block
  // alone.
  Builder b;
  const Shape shape{kWidth, kRows};
  uint32_t x = b.argument(DType::F64, shape), first = b.arena(DType::F64, shape), out = b.result(DType::F64, shape);
  uint32_t second = b.value(DType::F64, shape, StorageKind::Arena, 0, 0), columns = b.result(DType::F64, {kWidth});
  b.map("add.f64", {x, x, first});
  b.map("mul.f64", {first, x, out});
  b.map("neg.f64", {x, second});
  b.launch(LaunchKind::Reduce, "sum.f64", {second, columns}).axes = {1};
  auto program = load(b.artifact());
  EXPECT_EQ(groupsOf(*program), (Groups{{0, 3}}));
  std::vector<double> values = numbers(kWidth * kRows), expected(values.size()), sums(kWidth, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    expected[i] = 2 * values[i] * values[i];
    sums[i % kWidth] -= values[i];
  }
  const TensorView argument = TensorView::contiguous(values.data(), DType::F64, shape);
  for (int threads : {1, 2}) {
    const auto results = run(*program, argument, 2, threads, true);
    EXPECT_EQ(results[0], expected);
    EXPECT_EQ(results[1], sums);
  }
}

TEST(RowBlocks, MorePartsThanBlocks) {
  // Rows of a block for each of many parts would not fit into the inner value: they would lie on what is behind it.
  Builder b;
  constexpr int64_t kLong = 50'000, kFew = 6, kMany = 30;
  uint32_t x = b.argument(DType::F64, {kLong, kFew}), inner = b.arena(DType::F64, {kLong, kFew});
  uint32_t behind = b.arena(DType::F64, {kLong, kMany}), out = b.result(DType::F64, {kLong, kFew});
  uint32_t repeated = b.view(b.view(x, {kLong}, {0}, {0}, {1}), {kLong, kMany}, {0, -1}, {0, 0}, {1, 0});
  b.map("neg.f64", {repeated, behind});
  b.map("neg.f64", {x, inner});
  b.map("mul.f64", {inner, x, out});
  b.map("neg.f64", {behind, b.result(DType::F64, {kLong, kMany})});
  auto program = load(b.artifact());
  EXPECT_EQ(groupsOf(*program), (Groups{{1, 2}}));
  std::vector<double> values = numbers(kLong * kFew), expected(values.size()), first;
  for (size_t i = 0; i < values.size(); ++i)
    expected[i] = -values[i] * values[i];
  for (int64_t row = 0; row < kMany; ++row)
    first.insert(first.end(), values.begin(), values.begin() + kLong);
  const auto results = run(*program, TensorView::contiguous(values.data(), DType::F64, Shape{kLong, kFew}), 2, 7, true);
  EXPECT_EQ(results[0], expected);
  EXPECT_EQ(results[1], first);
}

TEST(RowBlocks, SmallOrSingleLaunchesStayAlone) {
  auto chain = [](Shape shape) {
    Builder b;
    uint32_t x = b.argument(DType::F64, shape), y = b.arena(DType::F64, shape), out = b.result(DType::F64, shape);
    b.map("neg.f64", {x, y});
    b.map("mul.f64", {y, x, out});
    return groupsOf(*load(b.artifact()));
  };
  EXPECT_EQ(chain({100, 100}), Groups());        // in the caches anyway
  EXPECT_EQ(chain({1 << 17, 3}), Groups());      // rows that fill a cache
  EXPECT_EQ(chain({1 << 17}), (Groups{{0, 2}})); // rows of one element
  EXPECT_EQ(chain({64, 3000, 1}), (Groups{{0, 2}}));
}

namespace {

/// Programs of maps and reductions over one space, whose values take each other's places in the arena as soon as those
/// are free.
class RandomRows {
public:
  explicit RandomRows(uint64_t seed) : random_(seed) {}

  Builder make() {
    const int64_t widths[] = {1, 2, 3, 17, 64, 100, 301, 5000};
    const int64_t width = widths[below(8)], rows = std::max<int64_t>((66000 + below(70000)) / width, 2);
    shape_ = below(4) ? Shape{width, rows} : below(2) ? Shape{width, 1, rows} : Shape{width, rows, 1};
    if (below(5) == 0 && rows > 6)
      shape_ = Shape{width, 3, rows / 3};
    for (int i = 0; i < 2; ++i)
      values_.push_back({b_.argument(DType::F64, shape_), 0, 0, false});
    const int64_t launches = 3 + below(12);
    for (int64_t i = 0; i < launches; ++i)
      below(3) ? addMap() : addReduction();
    for (int i = 0; i < 2; ++i) { // some that are alive
      const Value &value = values_[static_cast<size_t>(below(static_cast<int64_t>(values_.size())))];
      const Shape shape = shapeOf(value.number);
      b_.map("neg.f64", {value.number, b_.result(DType::F64, shape)});
    }
    return std::move(b_);
  }
  const Shape &shape() const { return shape_; }

private:
  struct Value {
    uint32_t number;
    int64_t offset, bytes;
    bool isInArena;
  };

  int64_t below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }
  Shape shapeOf(uint32_t value) const { return b_.program.values[value].type.shape; }
  size_t any() { return static_cast<size_t>(below(static_cast<int64_t>(values_.size()))); }

  /// The value over `shape`, whose axes it has or lacks in order; now and then backwards.
  uint32_t over(uint32_t value, const Shape &shape) {
    const Shape own = shapeOf(value);
    IntList dims(shape.size(), -1), starts(shape.size(), 0), steps(shape.size(), 0);
    size_t next = own.size();
    for (size_t d = shape.size(); d-- > 0;) { // from the back: rows are what most values have
      if (next == 0 || own[next - 1] != shape[d])
        continue;
      const bool isBackward = below(12) == 0;
      dims[d] = static_cast<int64_t>(--next);
      starts[d] = isBackward ? shape[d] - 1 : 0;
      steps[d] = isBackward ? -1 : 1;
    }
    if (next > 0)
      return ~0u;
    bool isSame = own == shape;
    for (size_t d = 0; d < steps.size(); ++d)
      isSame &= steps[d] == 1;
    return isSame ? value : b_.view(value, shape, dims, starts, steps);
  }

  void letSomeGo() {
    while (values_.size() > 5)
      values_.erase(values_.begin() + below(static_cast<int64_t>(values_.size())));
  }

  /// Somewhere no value lies that is alive.
  uint32_t place(const Shape &shape) {
    if (below(6) == 0) {
      const uint32_t result = b_.result(DType::F64, shape);
      values_.push_back({result, 0, 0, false});
      return result;
    }
    const int64_t bytes = (shape.elementCount() * 8 + 63) & ~int64_t{63};
    int64_t offset = below(3) ? 0 : below(64) * 64;
    for (bool isFree = false; !isFree;) {
      isFree = true;
      for (const Value &value : values_)
        if (value.isInArena && offset < value.offset + value.bytes && value.offset < offset + bytes) {
          offset = value.offset + value.bytes;
          isFree = false;
        }
    }
    b_.program.arenaBytes = std::max(b_.program.arenaBytes, offset + bytes);
    values_.push_back({b_.value(DType::F64, shape, StorageKind::Arena, 0, offset), offset, bytes, true});
    return values_.back().number;
  }

  void addMap() {
    const size_t first = any(), second = any();
    const Shape shape = below(3) ? shape_ : shapeOf(values_[first].number);
    const uint32_t a = over(values_[first].number, shape), b = over(values_[second].number, shape);
    if (a == ~0u || b == ~0u)
      return;
    const char *kernels[] = {"add.f64", "sub.f64", "mul.f64"};
    const Value old = values_[first];
    // In place: what the map reads at the same places goes away with it.
    if (below(3) == 0 && a == old.number && old.isInArena && (b == a || first != second)) {
      values_.erase(values_.begin() + static_cast<ptrdiff_t>(first));
      values_.push_back({b_.value(DType::F64, shape, StorageKind::Arena, 0, old.offset), old.offset, old.bytes, true});
      b_.map(kernels[below(3)], {a, b, values_.back().number});
    } else {
      const uint32_t out = place(shape);
      b_.map(kernels[below(3)], {a, b, out});
    }
    letSomeGo();
  }

  void addReduction() {
    const uint32_t from = values_[any()].number;
    const Shape shape = shapeOf(from);
    IntList axes;
    Shape kept;
    for (size_t d = 0; d < shape.size(); ++d)
      if (below(2) == 0)
        axes.push_back(static_cast<int64_t>(d));
      else
        kept.push_back(shape[d]);
    if (axes.empty())
      return;
    const uint32_t out = place(kept);
    b_.launch(LaunchKind::Reduce, below(2) ? "sum.f64" : "max.f64", {from, out}).axes = axes;
    letSomeGo();
  }

  std::mt19937_64 random_;
  Builder b_;
  Shape shape_;
  std::vector<Value> values_;
};

} // namespace

TEST(RowBlocks, RandomProgramsComputeWhatTheirLaunchesDoOneByOne) {
  constexpr uint64_t kPrograms = 60;
  size_t groups = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRows maker(seed);
    const Builder b = maker.make();
    auto program = load(b.artifact());
    ASSERT_TRUE(program);
    groups += groupsOf(*program).size();
    std::vector<double> x = numbers(maker.shape().elementCount()), y(x.rbegin(), x.rend());
    const TensorView arguments[] = {TensorView::contiguous(x.data(), DType::F64, maker.shape()),
                                    TensorView::contiguous(y.data(), DType::F64, maker.shape())};
    Nobody nobody;
    auto results = [&](int threads, LaunchObserver *observer) {
      std::vector<BufferRef> buffers(b.program.results.size());
      EXPECT_EQ(program->run(arguments, buffers, threads, nullptr, observer), std::nullopt);
      std::vector<std::vector<uint8_t>> bytes;
      for (const BufferRef &buffer : buffers) {
        auto *data = static_cast<const uint8_t *>(buffer.data());
        bytes.emplace_back(data, data + buffer.bytes());
      }
      return bytes;
    };
    const auto expected = results(1, &nobody);
    for (int threads : {1, 2, 7})
      ASSERT_EQ(results(threads, nullptr), expected) << threads << " threads";
  }
  EXPECT_GT(groups, kPrograms / 4);
}
