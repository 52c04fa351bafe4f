// The attributes of operations as the dimensions of launches.
#include "lib/CodeGen/Program/OperationLaunch.h"

#include "dialects/tenferro/Schema.h"
#include "lib/Transforms/OpFacts.h"

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;
using runtime::LaunchKind;

static void setWindows(Operation *op, runtime::WindowDimensions &windows) {
  windows.vectorDim = listAttribute(op, "index_vector_dim")[0];
  windows.mode = static_cast<IndexMode>(listAttribute(op, "mode")[0]);
}

void describeLaunch(Operation *op, const core::OpSchema &schema, ArrayRef<core::ValueType> operands,
                    runtime::Launch &launch) {
  switch (schema.kind) {
  case OpKind::DotGeneral:
    launch.kind = LaunchKind::Matmul;
    launch.dot->lhsContracting = listAttribute(op, "lhs_contracting");
    launch.dot->rhsContracting = listAttribute(op, "rhs_contracting");
    launch.dot->lhsBatch = listAttribute(op, "lhs_batch");
    launch.dot->rhsBatch = listAttribute(op, "rhs_batch");
    break;
  case OpKind::Take:
    launch.kind = LaunchKind::Take;
    launch.axes = listAttribute(op, "axis");
    break;
  case OpKind::ScatterAdd:
    launch.kind = LaunchKind::ScatterAdd;
    launch.axes = listAttribute(op, "axis");
    break;
  case OpKind::Pad:
    launch.kind = LaunchKind::Pad;
    launch.low = listAttribute(op, "low");
    launch.interior = listAttribute(op, "interior");
    break;
  case OpKind::Gather:
    launch.kind = LaunchKind::Gather;
    launch.windows->window = listAttribute(op, "offset_dims");
    launch.windows->fixed = listAttribute(op, "collapsed_slice_dims");
    launch.windows->map = listAttribute(op, "start_index_map");
    launch.windows->sizes = listAttribute(op, "slice_sizes");
    setWindows(op, *launch.windows);
    break;
  case OpKind::Scatter:
  case OpKind::ScatterPrefix:
    launch.windows->window = listAttribute(op, "update_window_dims");
    launch.windows->fixed = listAttribute(op, "inserted_window_dims");
    launch.windows->map = listAttribute(op, "scatter_dims_to_operand_dims");
    launch.windows->sizes = runtime::windowSizes(*launch.windows, operands[0].shape.rank(), operands[2].shape);
    launch.kind = schema.kind == OpKind::Scatter ? LaunchKind::Scatter : LaunchKind::ScatterPrefix;
    if (schema.kind == OpKind::Scatter)
      launch.windows->update = static_cast<ScatterUpdate>(listAttribute(op, "update")[0]);
    else
      launch.windows->backward = listAttribute(op, "order")[0] != 0;
    setWindows(op, *launch.windows);
    break;
  case OpKind::Cumsum:
    launch.kind = LaunchKind::CumulativeSum;
    launch.axes = listAttribute(op, "axis");
    launch.reverse = listAttribute(op, "order")[0] != 0;
    break;
  case OpKind::Argmax:
  case OpKind::Argmin:
    launch.kind = schema.kind == OpKind::Argmax ? LaunchKind::ArgMax : LaunchKind::ArgMin;
    launch.axes = listAttribute(op, "axis");
    break;
  default:
    if (schema.reduction) {
      launch.kind = LaunchKind::Reduce;
      launch.axes = listAttribute(op, "axes");
    }
    break;
  }
}

} // namespace tenferro::compiler
