// Small products, block by block of the batch: where the operands of each position start is a table that serves every
// block, so that dimensions of any strides and extents cost one addition an element.
#include "runtime/launch/TinyProducts.h"

#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <type_traits>

namespace tenferro::runtime {

namespace {

constexpr int64_t kMostProducts = 48;          ///< multiplications of one position; more are left to the tiles
constexpr int64_t kBlock = 512;                ///< positions of a block, at most
constexpr int64_t kProductTime = 300;          ///< picoseconds of a multiplication
constexpr int64_t kParallelTime = 20'000'000;  ///< from which on threads share the blocks

/// What blocks share: where their positions, and the factors of each element of C, lie.
struct Tables {
  int64_t positionA[kBlock], positionB[kBlock];
  int64_t elementA[kMostProducts], elementB[kMostProducts];
  int64_t elements, terms, aTerm, bTerm;
  bool isLine;             ///< positions are evenly spaced ...
  int64_t lineA, lineB;    ///< ... by these
};

template <typename T> [[gnu::always_inline]] inline T multiplyAdd(T a, T b, T sum) {
  if constexpr (std::is_same_v<T, double>)
    return __builtin_fma(a, b, sum);
  else if constexpr (std::is_same_v<T, float>)
    return __builtin_fmaf(a, b, sum);
  else
    return sum + a * b; // unsigned: wraps
}

/// One product a position, evenly spaced by 0 or 1: the compiler's vectors.
template <typename T, int64_t A, int64_t B>
__attribute__((target("avx2,fma"))) void multiplyLine(const T *__restrict a, const T *__restrict b, T *__restrict c,
                                                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    c[i] = multiplyAdd(a[i * A], b[i * B], T(0));
}

template <typename T>
__attribute__((target("avx2,fma"))) void multiplyBlock(const Tables &tables, const T *a, const T *b, T *c,
                                                       int64_t count) {
  if (tables.elements == 1 && tables.terms == 1) {
    if (tables.isLine && tables.lineA == 1 && tables.lineB == 1)
      return multiplyLine<T, 1, 1>(a, b, c, count);
    if (tables.isLine && tables.lineA == 1 && tables.lineB == 0)
      return multiplyLine<T, 1, 0>(a, b, c, count);
    if (tables.isLine && tables.lineA == 0 && tables.lineB == 1)
      return multiplyLine<T, 0, 1>(a, b, c, count);
    for (int64_t i = 0; i < count; ++i)
      c[i] = multiplyAdd(a[tables.positionA[i]], b[tables.positionB[i]], T(0));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const T *left = a + tables.positionA[i], *right = b + tables.positionB[i];
    for (int64_t e = 0; e < tables.elements; ++e) {
      const T *x = left + tables.elementA[e], *y = right + tables.elementB[e];
      T sum = multiplyAdd(*x, *y, T(0));
      for (int64_t t = 1; t < tables.terms; ++t)
        sum = multiplyAdd(x[t * tables.aTerm], y[t * tables.bTerm], sum);
      *c++ = sum;
    }
  }
}

template <typename T> struct Blocks {
  TinyProducts &of;
  Tables tables;
  size_t cut = 0;         ///< the dimension that blocks cut; those before it are whole in each
  int64_t inside = 1;     ///< positions of the dimensions before it
  int64_t cutLength = 1;  ///< of it in a block
  int64_t count = 1;      ///< blocks

  explicit Blocks(TinyProducts &products) : of(products) {
    const auto &batch = of.batch;
    while (cut < batch.size() && inside * batch[cut].extent <= kBlock)
      inside *= batch[cut++].extent;
    if (cut < batch.size()) {
      cutLength = std::min(batch[cut].extent, kBlock / inside);
      count = (batch[cut].extent + cutLength - 1) / cutLength;
    }
    for (size_t d = cut + 1; d < batch.size(); ++d)
      count *= batch[d].extent;
    fillTables();
  }

  void fillTables() {
    tables.elements = of.rows * of.columns;
    tables.terms = of.terms;
    tables.aTerm = of.aTerm;
    tables.bTerm = of.bTerm;
    for (int64_t e = 0; e < tables.elements; ++e) {
      tables.elementA[e] = e % of.rows * of.aRow;
      tables.elementB[e] = e / of.rows * of.bColumn;
    }
    tables.positionA[0] = tables.positionB[0] = 0;
    int64_t filled = 1;
    for (size_t d = 0; d <= cut && d < of.batch.size(); ++d) {
      const TinyProducts::Dim &dim = of.batch[d];
      const int64_t length = d == cut ? cutLength : dim.extent;
      for (int64_t i = 1; i < length; ++i)
        for (int64_t p = 0; p < filled; ++p) {
          tables.positionA[i * filled + p] = tables.positionA[p] + i * dim.a;
          tables.positionB[i * filled + p] = tables.positionB[p] + i * dim.b;
        }
      filled *= length;
    }
    tables.isLine = filled == 1 || inside == 1 || of.batch.size() == 1;
    tables.lineA = filled > 1 ? tables.positionA[1] : 0;
    tables.lineB = filled > 1 ? tables.positionB[1] : 0;
  }

  void run(int64_t number) const {
    int64_t rest = number, positions = inside, from = 0, a = 0, b = 0, c = 0;
    if (cut < of.batch.size()) {
      const TinyProducts::Dim &dim = of.batch[cut];
      const int64_t parts = (dim.extent + cutLength - 1) / cutLength;
      from = rest % parts * cutLength;
      rest /= parts;
      positions = inside * std::min(cutLength, dim.extent - from);
      a = from * dim.a;
      b = from * dim.b;
      c = from * inside;
      int64_t step = inside * dim.extent;
      for (size_t d = cut + 1; d < of.batch.size(); ++d) {
        const int64_t at = rest % of.batch[d].extent;
        rest /= of.batch[d].extent;
        a += at * of.batch[d].a;
        b += at * of.batch[d].b;
        c += at * step;
        step *= of.batch[d].extent;
      }
    }
    multiplyBlock(tables, static_cast<const T *>(of.a) + a, static_cast<const T *>(of.b) + b,
                  static_cast<T *>(of.c) + c * tables.elements, positions);
  }
};

template <typename T> void runTyped(TinyProducts &products, const LaunchContext &context) {
  const Blocks<T> blocks(products);
  int64_t multiplications = products.rows * products.columns * products.terms;
  for (const TinyProducts::Dim &dim : products.batch)
    multiplications *= dim.extent;
  const int64_t time = multiplications * kProductTime;
  const int64_t parts = time < kParallelTime ? 1 : std::min(blocks.count, 4 * int64_t{context.threads});
  if (parts <= 1) {
    for (int64_t number = 0; number < blocks.count; ++number)
      blocks.run(number);
    return;
  }
  parallelFor(context.threads, parts, time, [&](int64_t part) {
    for (int64_t number = blocks.count * part / parts; number < blocks.count * (part + 1) / parts; ++number)
      blocks.run(number);
  });
}

} // namespace

bool TinyProducts::fits(DType dtype, int64_t rows, int64_t columns, int64_t terms) noexcept {
  const bool known = dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I32 || dtype == DType::I64;
  return known && terms > 0 && rows <= kMostProducts && columns <= kMostProducts && terms <= kMostProducts &&
         rows * columns * terms <= kMostProducts;
}

void TinyProducts::run(const LaunchContext &context) {
  // Dimensions that both operands walk as one are one.
  InlineVector<Dim, 8> merged;
  for (const Dim &dim : batch) {
    if (dim.extent == 1)
      continue;
    if (!merged.empty() && dim.a == merged.back().a * merged.back().extent &&
        dim.b == merged.back().b * merged.back().extent)
      merged.back().extent *= dim.extent;
    else
      merged.push_back(dim);
  }
  batch = merged;
  switch (dtype) {
  case DType::F32:
    return runTyped<float>(*this, context);
  case DType::F64:
    return runTyped<double>(*this, context);
  case DType::I32:
    return runTyped<uint32_t>(*this, context);
  default:
    return runTyped<uint64_t>(*this, context);
  }
}

} // namespace tenferro::runtime
