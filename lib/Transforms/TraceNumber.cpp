// From a location back to the operation of the trace.
#include "lib/Transforms/TraceNumber.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace tenferro::compiler {

/// The file in the locations of a trace.
static constexpr StringLiteral kTrace = "trace";

Location traceLocation(MLIRContext *context, uint32_t number) {
  return FileLineColLoc::get(context, kTrace, number, 0);
}

/// The smallest number in a location, or none; of calls the outermost, or the innermost.
static uint32_t smallestNumber(Location location, bool inner = false) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file.getLine();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return smallestNumber(inner ? call.getCallee() : call.getCaller(), inner);
  if (auto name = dyn_cast<NameLoc>(location))
    return smallestNumber(name.getChildLoc(), inner);
  uint32_t smallest = std::numeric_limits<uint32_t>::max();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      smallest = std::min(smallest, smallestNumber(part, inner));
  return smallest;
}

uint32_t innerTraceNumber(Location location) {
  uint32_t number = smallestNumber(location, /*inner=*/true);
  return number == std::numeric_limits<uint32_t>::max() ? 0 : number;
}

std::optional<uint32_t> findTraceNumber(Location location) {
  bool found = false;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    found |= file && file.getFilename() == kTrace;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found ? std::optional(traceNumber(location)) : std::nullopt;
}

uint32_t traceNumber(Location location) {
  uint32_t number = smallestNumber(location);
  return number == std::numeric_limits<uint32_t>::max() ? 0 : number;
}

} // namespace tenferro::compiler
