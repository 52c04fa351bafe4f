// Arithmetic on shapes and strides of operands.
#include "lib/CodeGen/Gpu/Operand.h"

#include <algorithm>

namespace tenferro::compiler {

IntList pick(const IntList &list, const IntList &axes) {
  IntList picked;
  for (int64_t axis : axes)
    picked.push_back(list[static_cast<size_t>(axis)]);
  return picked;
}

IntList axesWithout(int64_t rank, const IntList &a, const IntList &b) {
  IntList rest;
  for (int64_t d = 0; d < rank; ++d)
    if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end())
      rest.push_back(d);
  return rest;
}

LoopDims mergeDims(const IntList &shape, std::vector<IntList> strides) {
  LoopDims merged;
  merged.strides.resize(strides.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    size_t last = merged.shape.size();
    bool joins = last > 0;
    for (size_t i = 0; i < strides.size() && joins; ++i)
      joins = strides[i][d] == merged.strides[i][last - 1] * merged.shape[last - 1];
    if (joins) {
      merged.shape[last - 1] *= shape[d];
      continue;
    }
    merged.shape.push_back(shape[d]);
    for (size_t i = 0; i < strides.size(); ++i)
      merged.strides[i].push_back(strides[i][d]);
  }
  return merged;
}

} // namespace tenferro::compiler
