// Sources of programs.
#include "lib/Eager/Programs/ProgramSource.h"

namespace tenferro::eager {

static compiler::SourcePlace placeOf(const std::source_location &where) {
  return {where.file_name(), static_cast<int>(where.line())};
}

/// Where the user wrote operation `number` of `walk.graph(true)`.
static compiler::SourcePlace placeOf(const Walk &walk, uint32_t number) {
  if (number < walk.leadingOperations() || number - walk.leadingOperations() >= walk.operations().size())
    return {};
  return placeOf(walk.operations()[number - walk.leadingOperations()]->where);
}

PlaceFunction placesIn(std::span<const std::source_location> locations) {
  return [locations](uint32_t number) {
    return number < locations.size() ? placeOf(locations[number]) : compiler::SourcePlace();
  };
}

std::vector<compiler::SourcePlace> ProgramSource::places() const {
  size_t count = 1;
  for (const core::GraphOp &op : graph().ops)
    count += 1 + (op.callee ? op.callee->graph.ops.size() : 0);
  std::vector<compiler::SourcePlace> all;
  const PlaceFunction placeOfNumber = place();
  for (uint32_t number = 0; number < count; ++number)
    all.push_back(placeOfNumber(number));
  return all;
}

const core::Graph &WalkSource::graph() const {
  if (!graph_)
    graph_ = walk_.graph(true);
  return *graph_;
}

PlaceFunction WalkSource::place() const {
  return [this](uint32_t number) { return placeOf(walk_, number); };
}

size_t functionBytes(const core::Graph &graph) {
  size_t bytes = sizeof(core::DerivedFunction) + graph.inputs.size() * sizeof(core::ValueType);
  for (const core::GraphOp &op : graph.ops)
    bytes += sizeof op + op.operands.size() * sizeof(uint32_t) + op.results.size() * sizeof(core::ValueType);
  return bytes;
}

} // namespace tenferro::eager
