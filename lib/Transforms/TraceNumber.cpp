// From a location back to the operation of the trace.
#include "lib/Transforms/TraceNumber.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace tenferro::compiler {

Location traceLocation(MLIRContext *context, uint32_t number) {
  return FileLineColLoc::get(context, "trace", number, 0);
}

/// The smallest number in a location, or none.
static uint32_t smallestNumber(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file.getLine();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return smallestNumber(call.getCaller());
  if (auto name = dyn_cast<NameLoc>(location))
    return smallestNumber(name.getChildLoc());
  uint32_t smallest = std::numeric_limits<uint32_t>::max();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      smallest = std::min(smallest, smallestNumber(part));
  return smallest;
}

uint32_t traceNumber(Location location) {
  uint32_t number = smallestNumber(location);
  return number == std::numeric_limits<uint32_t>::max() ? 0 : number;
}

} // namespace tenferro::compiler
