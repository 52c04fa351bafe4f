// dot_general over operands of any strides on the register tiles of the kernel table.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHMATMUL_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHMATMUL_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/program/Program.h"

namespace tenferro::runtime {

/// `out` (contiguous: lhs free, rhs free, batch dimensions) becomes the product. Each element is one FMA chain from +0
/// over the contracted elements in ascending order, leftmost contracting dimension fastest; where M*N < 64 and K >= 256
/// (per batch element) it is the reduction tree over the products. K = 0 gives zeros.
///
/// The table must have "matmul.<dtype>", "dot.<dtype>" and "sum.<dtype>"; raises Unsupported if one is missing.
void runMatmul(const DotDimensions &dot, const TensorView &lhs, const TensorView &rhs, const TensorView &out,
               const LaunchContext &context);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHMATMUL_H
