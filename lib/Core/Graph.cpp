// Types of a graph's values.
#include "lib/Core/Graph.h"

#include <cassert>

namespace tenferro::core {

const ValueType &Graph::type(uint32_t value) const {
  if (value < inputs.size())
    return inputs[value];
  size_t number = value - inputs.size();
  for (const GraphOp &op : ops) {
    if (number < op.results.size())
      return op.results[number];
    number -= op.results.size();
  }
  assert(false && "a value of the graph");
  return inputs.front();
}

} // namespace tenferro::core
