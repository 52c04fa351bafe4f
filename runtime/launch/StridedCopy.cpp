// The strided copy: dimensions merged, then blocks of the two fastest dimensions, one of either side.
#include "runtime/launch/StridedCopy.h"

#include "runtime/launch/LoopNest.h"
#include "runtime/threads/Grain.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>

namespace tenferro::runtime {

namespace {

/// Bytes a parallel copy must move to be worth the region.
constexpr int64_t kParallelBytes = int64_t{1} << 19;
constexpr int64_t kStreams = 8;

struct Block16 {
  uint64_t words[2];
};

/// Rows of kStreams elements, `si` bytes apart, to as many streams that are `oo` bytes apart. Returns how many of the n rows it has
/// copied: whole squares.
template <typename T> int64_t transposeSquares(const char *, int64_t, char *, int64_t, int64_t) { return 0; }

template <>
__attribute__((target("avx"))) int64_t transposeSquares<uint32_t>(const char *source, int64_t si, char *out, int64_t oo,
                                                                  int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8, source += 8 * si, out += 32) {
    __m256 row[8], pair[8];
    for (int r = 0; r < 8; ++r)
      row[r] = _mm256_loadu_ps(reinterpret_cast<const float *>(source + r * si));
    for (int r = 0; r < 8; r += 2) {
      pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
      pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    for (int r = 0; r < 8; r += 4) { // four rows: elements 0 and 4, 1 and 5, 2 and 6, 3 and 7
      row[r] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0x44);
      row[r + 1] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0xEE);
      row[r + 2] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0x44);
      row[r + 3] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0xEE);
    }
    for (int j = 0; j < 4; ++j) {
      _mm256_storeu_ps(reinterpret_cast<float *>(out + j * oo), _mm256_permute2f128_ps(row[j], row[j + 4], 0x20));
      _mm256_storeu_ps(reinterpret_cast<float *>(out + (j + 4) * oo), _mm256_permute2f128_ps(row[j], row[j + 4], 0x31));
    }
  }
  return i;
}

template <>
__attribute__((target("avx"))) int64_t transposeSquares<uint64_t>(const char *source, int64_t si, char *out, int64_t oo,
                                                                  int64_t n) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4, source += 4 * si, out += 32) {
    for (int half = 0; half < 2; ++half) {
      __m256d row[4];
      for (int r = 0; r < 4; ++r)
        row[r] = _mm256_loadu_pd(reinterpret_cast<const double *>(source + r * si + half * 32));
      __m256d even = _mm256_unpacklo_pd(row[0], row[1]), odd = _mm256_unpackhi_pd(row[0], row[1]);
      __m256d evenBelow = _mm256_unpacklo_pd(row[2], row[3]), oddBelow = _mm256_unpackhi_pd(row[2], row[3]);
      char *to = out + half * 4 * oo;
      _mm256_storeu_pd(reinterpret_cast<double *>(to), _mm256_permute2f128_pd(even, evenBelow, 0x20));
      _mm256_storeu_pd(reinterpret_cast<double *>(to + oo), _mm256_permute2f128_pd(odd, oddBelow, 0x20));
      _mm256_storeu_pd(reinterpret_cast<double *>(to + 2 * oo), _mm256_permute2f128_pd(even, evenBelow, 0x31));
      _mm256_storeu_pd(reinterpret_cast<double *>(to + 3 * oo), _mm256_permute2f128_pd(odd, oddBelow, 0x31));
    }
  }
  return i;
}

template <typename T>
void copyTyped(const char *source, int64_t si, int64_t so, char *out, int64_t oi, int64_t oo, int64_t n, int64_t m) {
  constexpr int64_t bytes = sizeof(T);
  auto element = [](const char *from, char *to) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    std::memcpy(to, &value, sizeof(T));
  };
  if (si == bytes && oi == bytes) {
    if (so == n * bytes && oo == n * bytes) {
      std::memcpy(out, source, static_cast<size_t>(n * m * bytes));
      return;
    }
    if (n * bytes <= 64) { // short rows: a call each would cost more than the copy
      for (int64_t j = 0; j < m; ++j)
        for (int64_t i = 0; i < n; ++i)
          element(source + j * so + i * bytes, out + j * oo + i * bytes);
      return;
    }
    for (int64_t j = 0; j < m; ++j)
      std::memcpy(out + j * oo, source + j * so, static_cast<size_t>(n * bytes));
    return;
  }
  if (si == 0 && oi == bytes) {
    for (int64_t j = 0; j < m; ++j) {
      T value;
      std::memcpy(&value, source + j * so, sizeof(T));
      char *row = out + j * oo;
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(row + i * bytes, &value, sizeof(T));
    }
    return;
  }
  bool transposes = m > 1 && n > 1 && std::llabs(so) < std::llabs(si);
  if (!transposes) {
    for (int64_t j = 0; j < m; ++j)
      for (int64_t i = 0; i < n; ++i)
        element(source + j * so + i * si, out + j * oo + i * oi);
    return;
  }
  // One cache line of the source at a time, written to as many streams: no conflict misses at power-of-two strides.
  for (int64_t jt = 0; jt < m; jt += kStreams) {
    int64_t width = std::min(kStreams, m - jt);
    const char *fromTile = source + jt * so;
    char *toTile = out + jt * oo;
    if (width == kStreams && oi == bytes && so == bytes) {
      for (int64_t i = transposeSquares<T>(fromTile, si, toTile, oo, n); i < n; ++i)
        for (int64_t j = 0; j < kStreams; ++j)
          element(fromTile + i * si + j * bytes, toTile + j * oo + i * bytes);
    } else {
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < width; ++j)
          element(fromTile + i * si + j * so, toTile + j * oo + i * oi);
    }
  }
}

/// Copies blocks of dimensions 0 and 1, walking the others.
void copyNest(const LoopNest &nest, const char *source, char *out, int64_t elementBytes) {
  size_t rank = nest.rank();
  if (rank == 0) {
    std::memcpy(out, source, static_cast<size_t>(elementBytes));
    return;
  }
  int64_t m = 1, so = 0, oo = 0;
  if (rank > 1) {
    m = nest.extent(1);
    so = nest.stride(1, 0);
    oo = nest.stride(1, 1);
  }
  InlineVector<int64_t, 8> position(rank, 0);
  for (;;) {
    copyBlock(source, nest.stride(0, 0), so, out, nest.stride(0, 1), oo, nest.extent(0), m, elementBytes);
    size_t d = 2;
    for (; d < rank; ++d) {
      source += nest.stride(d, 0);
      out += nest.stride(d, 1);
      if (++position[d] < nest.extent(d))
        break;
      source -= nest.stride(d, 0) * nest.extent(d);
      out -= nest.stride(d, 1) * nest.extent(d);
      position[d] = 0;
    }
    if (d >= rank)
      return;
  }
}

} // namespace

void copyBlock(const void *source, int64_t si, int64_t so, void *out, int64_t oi, int64_t oo, int64_t n, int64_t m,
               int64_t elementBytes) {
  auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(out);
  switch (elementBytes) {
  case 1:
    return copyTyped<uint8_t>(from, si, so, to, oi, oo, n, m);
  case 2:
    return copyTyped<uint16_t>(from, si, so, to, oi, oo, n, m);
  case 4:
    return copyTyped<uint32_t>(from, si, so, to, oi, oo, n, m);
  case 8:
    return copyTyped<uint64_t>(from, si, so, to, oi, oo, n, m);
  default:
    return copyTyped<Block16>(from, si, so, to, oi, oo, n, m);
  }
}

void runCopy(const TensorView &source, const TensorView &out, const LaunchContext &context) {
  int64_t bytes = static_cast<int64_t>(byteSize(out.dtype)), count = 1;
  LoopNest nest(2);
  for (size_t d = 0; d < out.shape.size(); ++d) {
    int64_t extent = out.shape[d];
    count *= extent;
    if (extent == 1)
      continue;
    int64_t *strides = nest.add(extent);
    strides[0] = source.strides[d] * bytes;
    strides[1] = out.strides[d] * bytes;
  }
  if (count == 0)
    return;
  nest.sortByStride(1);
  nest.merge();
  if (nest.rank() > 2) { // the source's fastest dimension becomes the block's other side
    size_t fastest = 1;
    for (size_t d = 2; d < nest.rank(); ++d) {
      int64_t a = std::llabs(nest.stride(d, 0)), b = std::llabs(nest.stride(fastest, 0));
      if (a && (!b || a < b))
        fastest = d;
    }
    int64_t inner = std::llabs(nest.stride(0, 0));
    if (fastest != 1 && std::llabs(nest.stride(fastest, 0)) < inner) {
      nest.moveInnermost(fastest);
      nest.moveInnermost(1);
    }
  }
  auto *from = static_cast<const char *>(source.data);
  auto *to = static_cast<char *>(out.data);
  if (context.threads <= 1 || count * bytes < kParallelBytes || nest.rank() == 0)
    return copyNest(nest, from, to, bytes);

  size_t split = 0;
  for (size_t d = 1; d < nest.rank(); ++d)
    if (nest.extent(d) >= nest.extent(split))
      split = d;
  int64_t extent = nest.extent(split);
  int64_t parts = std::min<int64_t>({extent, 4 * int64_t{context.threads}, count * bytes / (kParallelBytes / 4)});
  parallelFor(context.threads, parts, Work{count, 2 * bytes}.time(), [&](int64_t part) {
    int64_t begin = extent * part / parts, end = extent * (part + 1) / parts;
    LoopNest mine(2);
    for (size_t d = 0; d < nest.rank(); ++d) {
      int64_t *strides = mine.add(d == split ? end - begin : nest.extent(d));
      strides[0] = nest.stride(d, 0);
      strides[1] = nest.stride(d, 1);
    }
    copyNest(mine, from + begin * nest.stride(split, 0), to + begin * nest.stride(split, 1), bytes);
  });
}

void runZero(const TensorView &out, const LaunchContext &context) {
  if (out.elementCount() == 0)
    return; // there may be no address
  if (out.isContiguous()) {
    std::memset(out.data, 0, static_cast<size_t>(out.elementCount()) * byteSize(out.dtype));
    return;
  }
  static const uint64_t zeros[2] = {0, 0};
  TensorView zero(const_cast<uint64_t *>(zeros), out.dtype, out.shape, IntList(out.shape.size(), 0));
  runCopy(zero, out, context);
}

void copyToContiguous(const TensorView &source, void *data, const LaunchContext &context) {
  runCopy(source, TensorView::contiguous(data, source.dtype, source.shape), context);
}

} // namespace tenferro::runtime
