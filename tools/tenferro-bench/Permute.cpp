// permute: a permutation of the axes of 128 MB or so, written out contiguously.
#include "tools/tenferro-bench/Benches.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenferro::bench {

namespace {

using Json = nlohmann::json;

IntList integers(const Json &list) {
  IntList numbers;
  for (int64_t number : list)
    numbers.push_back(number);
  return numbers;
}

/// A tensor of `shape` whose strides are the given ones, which must be those of some order of the axes without holes.
Tensor strided(const Shape &shape, const IntList &strides, const Tensor &elements) {
  IntList order(shape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return std::pair(strides[a], a) < std::pair(strides[b], b); });
  Shape inMemory;
  IntList place(shape.size(), 0);
  for (size_t position = 0; position < order.size(); ++position) {
    inMemory.push_back(shape[order[position]]);
    place[order[position]] = static_cast<int64_t>(position);
  }
  return elements.reshaped(inMemory).transposed(place);
}

} // namespace

void permute(Reporter &reporter) {
  const std::string &data = reporter.options().data;
  if (data.empty())
    return;
  const Json file = readData(data + "/permutation_patterns.json");
  for (const Json &pattern : file.at("patterns")) {
    const std::string name = pattern.at("id");
    if (!reporter.wanted("permute", name))
      continue;
    const IntList extents = integers(pattern.at("shape"));
    const Shape shape(extents.begin(), extents.end());
    const Tensor elements = random({shape.elementCount()}, DType::F64, 1);
    const Json &layout = pattern.at("src_layout");
    const Tensor source = layout.at("kind") == "explicit_strides"
                              ? strided(shape, integers(layout.at("strides")), elements)
                              : elements.reshaped(shape);
    const IntList permutation = integers(pattern.at("perm"));
    if (std::is_sorted(permutation.begin(), permutation.end()) && source.isContiguous())
      // A permutation that moves nothing would copy nothing: the elements are copied out instead.
      reporter.measureLong("permute", name, [&] {
        double start = now();
        Tensor copy = Tensor::fromElements(shape, DType::F64, source.data(), static_cast<size_t>(shape.elementCount()));
        return now() - start;
      });
    else
      reporter.measureLong("permute", name, [&] {
        double start = now();
        Tensor copy = source.transposed(permutation).contiguous();
        return now() - start;
      });
  }
}

} // namespace tenferro::bench
