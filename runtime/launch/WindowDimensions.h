// How a gather or a scatter numbers its dimensions: plain data that programs hold too.
#ifndef TENFERRO_RUNTIME_LAUNCH_WINDOWDIMENSIONS_H
#define TENFERRO_RUNTIME_LAUNCH_WINDOWDIMENSIONS_H

#include "tenferro/Indexing.h"
#include "tenferro/Shape.h"

#include <algorithm>

namespace tenferro::runtime {

/// How the windows of a tensor (`whole`) and the tensor of their elements (`picked`) correspond; StableHLO's dimension
/// numbers under names that serve gather and scatter.
struct WindowDimensions {
  IntList window;        ///< dimensions of `picked` that walk a window, ascending
  IntList fixed;         ///< dimensions of `whole` that no dimension of `picked` walks, ascending
  IntList map;           ///< the dimension of `whole` that component k of an index vector starts
  int64_t vectorDim = 0; ///< dimension of the indices with the components; their rank if each is one component
  IntList sizes;         ///< of a window, per dimension of `whole`
  IndexMode mode = IndexMode::Error;
  ScatterUpdate update = ScatterUpdate::Add;
  bool backward = false; ///< of a prefix: updates meet their targets in descending order
};

/// `sizes` of a scatter, which its updates determine.
inline IntList windowSizes(const WindowDimensions &dims, int64_t wholeRank, const Shape &picked) {
  IntList sizes;
  for (int64_t d = 0, k = 0; d < wholeRank; ++d)
    sizes.push_back(std::find(dims.fixed.begin(), dims.fixed.end(), d) != dims.fixed.end() ? 1
                                                                                           : picked[dims.window[k++]]);
  return sizes;
}

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_WINDOWDIMENSIONS_H
