// The vocabulary of reading and writing windows by index.
#ifndef TENFERRO_INDEXING_H
#define TENFERRO_INDEXING_H

#include "tenferro/Shape.h"

#include <cstdint>

namespace tenferro {

/// What becomes of a window that is not inside the tensor.
enum class IndexMode : uint8_t {
  Error, ///< negative starts count from the end; a window outside is IndexOutOfRange
  Clip,  ///< moved inside: the start is clamped to [0, extent - size]
  Fill,  ///< read as zeros, dropped when written; negative starts are outside
};

/// How an update meets what is at its target.
enum class ScatterUpdate : uint8_t { Add, Mul, Max, Min, Set };

/// Dimension numbers of `gather`, as StableHLO has them. Axes count from the front.
struct GatherDimensions {
  IntList offsetDims; ///< axes of the result that walk the window, ascending
  IntList
      collapsedSliceDims; ///< axes of the operand without one of the result: the window has extent 1 there; ascending
  IntList startIndexMap;  ///< the axis of the operand that component k of an index vector starts
  int64_t indexVectorDim = 0; ///< axis of the indices with the components; their rank if there is one and no axis
};

/// Dimension numbers of `scatter`, as StableHLO has them: the updates are laid out as `gather` lays out its result.
struct ScatterDimensions {
  IntList updateWindowDims;
  IntList insertedWindowDims;
  IntList scatterDimsToOperandDims;
  int64_t indexVectorDim = 0;
};

} // namespace tenferro

#endif // TENFERRO_INDEXING_H
