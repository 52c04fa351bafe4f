// Tensors of random strides for the driver tests, and the logical order to check them in.
#ifndef TENFERRO_TEST_UNIT_RUNTIME_TESTTENSORS_H
#define TENFERRO_TEST_UNIT_RUNTIME_TESTTENSORS_H

#include "runtime/core/TensorView.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace tenferro::runtime::test {

using Random = std::mt19937_64;

inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

inline Shape randomShape(Random &random, int64_t rank, int64_t mostElements) {
  static constexpr int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 16, 33, 70};
  Shape shape;
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = extents[pick(random, 0, 9)];
    if (count * extent > mostElements)
      extent = pick(random, 1, 2);
    count *= extent;
    shape.push_back(extent);
  }
  return shape;
}

/// Elements in memory of their own, at any strides; a guard of unused elements around them.
template <typename T> struct TestTensor {
  std::vector<T> memory;
  TensorView view;

  TestTensor() = default;
  TestTensor(const TestTensor &) = delete;
  TestTensor &operator=(const TestTensor &) = delete;
  TestTensor(TestTensor &&) = default;

  T &at(int64_t logical) const {
    int64_t offset = 0;
    for (size_t d = 0; d < view.shape.size(); ++d) {
      offset += logical % view.shape[d] * view.strides[d];
      logical /= view.shape[d];
    }
    return static_cast<T *>(view.data)[offset];
  }
  std::vector<T> logical() const {
    std::vector<T> values(view.elementCount());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = at(static_cast<int64_t>(i));
    return values;
  }
};

template <typename T> T randomValue(Random &random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(pick(random, -9, 9));
  else
    return std::uniform_real_distribution<T>(-1, 1)(random);
}

enum class Layout { Contiguous, Permuted, Strided, Broadcast };

/// Permuted: contiguous in another order of dimensions. Strided: also gaps and negative strides. Broadcast: also
/// strides 0.
template <typename T> TestTensor<T> randomTensor(Random &random, const Shape &shape, Layout layout) {
  TestTensor<T> tensor;
  size_t rank = shape.size();
  std::vector<size_t> order(rank);
  for (size_t d = 0; d < rank; ++d)
    order[d] = d;
  if (layout != Layout::Contiguous)
    std::shuffle(order.begin(), order.end(), random);
  IntList strides(rank, 0);
  int64_t size = 1, start = 0;
  for (size_t d : order) {
    bool wild = layout == Layout::Strided || layout == Layout::Broadcast;
    if (layout == Layout::Broadcast && pick(random, 0, 2) == 0)
      continue;
    if (wild && pick(random, 0, 3) == 0)
      size = size * pick(random, 1, 2) + pick(random, 0, 2);
    strides[d] = size;
    int64_t span = size * std::max<int64_t>(shape[d] - 1, 0);
    size = size * std::max<int64_t>(shape[d], 1);
    if (wild && pick(random, 0, 3) == 0) {
      start += span;
      strides[d] = -strides[d];
    }
  }
  constexpr int64_t guard = 64;
  tensor.memory.resize(size + 2 * guard);
  for (T &value : tensor.memory)
    value = randomValue<T>(random);
  tensor.view = TensorView(tensor.memory.data() + guard + start, dtypeOf<T>, shape, std::move(strides));
  return tensor;
}

inline Layout randomLayout(Random &random, bool broadcast = true) {
  return static_cast<Layout>(pick(random, 0, broadcast ? 3 : 2));
}

template <typename T> bool sameBits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace tenferro::runtime::test

#endif // TENFERRO_TEST_UNIT_RUNTIME_TESTTENSORS_H
