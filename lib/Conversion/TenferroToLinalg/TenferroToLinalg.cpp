// tenferro-to-linalg: fused groups on tensors become kernels on buffers.
#include "lib/Conversion/TenferroToLinalg/TenferroToLinalg.h"

#include "dialects/tenferro/Structure.h"
#include "lib/Conversion/TenferroToLinalg/KernelBody.h"
#include "lib/Transforms/FusionPlan.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_TENFERROTOLINALGPASS
#include "lib/Conversion/TenferroToLinalg/Passes.h.inc"

MemRefType bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
  return MemRefType::get(shape, ir::memoryType(type.getElementType()));
}

/// The indexing map of a buffer: results from the slowest dimension, loops from the slowest.
static AffineMap reversedMap(MLIRContext *context, size_t loops, ArrayRef<int64_t> axes) {
  SmallVector<AffineExpr> results;
  for (int64_t axis : llvm::reverse(axes))
    results.push_back(axis < 0 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(static_cast<unsigned>(loops - 1 - static_cast<size_t>(axis)), context));
  return AffineMap::get(static_cast<unsigned>(loops), 0, results, context);
}

/// The reduction that ends a group, or null.
static Operation *reductionOf(ir::FusedOp fused) {
  for (Value yielded : fused.getBody().front().getTerminator()->getOperands())
    if (Operation *op = yielded.getDefiningOp(); op && fusionRole(op) == FusionRole::Reduction)
      return op;
  return nullptr;
}

/// Errors are reported as the smallest number of a kernel, so fallible operations are numbered as the trace numbers them.
static void sortRaises(Block &body) {
  SmallVector<std::pair<std::pair<uint32_t, size_t>, Operation *>> raises; // by number, then by place
  for (Operation &op : body)
    if (isa<ir::RaiseIfOp>(op))
      raises.push_back({{traceNumber(op.getLoc()), raises.size()}, &op});
  llvm::sort(raises);
  for (auto &[order, raise] : raises)
    raise->moveBefore(body.getTerminator());
}

linalg::GenericOp buildGeneric(OpBuilder &builder, ir::FusedOp fused, ValueRange buffers) {
  MLIRContext *context = fused.getContext();
  FailureOr<SmallVector<KernelInput>> inputs = collectKernelInputs(fused);
  if (failed(inputs))
    return {};
  size_t loops = fused.getIteration().size();
  SmallVector<int64_t> kept;
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  Operation *reduction = reductionOf(fused);
  IntList axes = reduction ? listAttribute(reduction, "axes") : IntList();
  for (int64_t axis : axes)
    iterators[loops - 1 - static_cast<size_t>(axis)] = utils::IteratorType::reduction;
  for (size_t d = 0; d < loops; ++d)
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) == axes.end())
      kept.push_back(static_cast<int64_t>(d));

  SmallVector<AffineMap> maps;
  SmallVector<Value> ins, outs;
  for (const KernelInput &input : *inputs) {
    maps.push_back(reversedMap(context, loops, input.axes));
    ins.push_back(buffers[input.argument]);
  }
  for (Value output : buffers.drop_front(fused.getNumOperands())) {
    maps.push_back(reversedMap(context, loops, kept));
    outs.push_back(output);
  }
  LogicalResult built = success();
  auto generic = linalg::GenericOp::create(
      builder, fused.getLoc(), TypeRange(), ins, outs, maps, iterators,
      [&](OpBuilder &body, Location loc, ValueRange elements) {
        auto stored = buildKernelBody(body, fused, *inputs, elements.take_front(ins.size()));
        built = stored;
        linalg::YieldOp::create(body, loc, succeeded(stored) ? ValueRange(*stored) : ValueRange());
      });
  if (failed(built)) {
    generic.erase();
    return {};
  }
  if (reduction)
    generic->setAttr("tenferro.reduction", builder.getStringAttr(reduction->getName().stripDialect()));
  sortRaises(*generic.getBody());
  return generic;
}

/// The operations of a group by name, for people: "mul_mul_sum".
static std::string labelOf(ir::FusedOp fused) {
  std::string label;
  int count = 0;
  for (Operation &op : fused.getBody().front().without_terminator()) {
    FusionRole role = fusionRole(&op);
    if (role != FusionRole::Elementwise && role != FusionRole::Reduction)
      continue;
    if (count++ == 6) {
      label += "_etc";
      break;
    }
    if (!label.empty())
      label += "_";
    label += op.getName().stripDialect().str();
  }
  return label;
}

static LogicalResult convert(ir::FusedOp fused) {
  OpBuilder builder(fused);
  auto kernel = ir::KernelOp::create(builder, fused.getLoc(), fused.getResultTypes(), labelOf(fused), fused.getInputs());
  Block &block = kernel.getBody().emplaceBlock();
  for (Value operand : fused.getInputs())
    block.addArgument(bufferType(operand.getType()), operand.getLoc());
  for (Value result : fused.getResults())
    block.addArgument(bufferType(result.getType()), fused.getLoc());
  builder.setInsertionPointToEnd(&block);
  if (!buildGeneric(builder, fused, block.getArguments()))
    return failure();
  fused.replaceAllUsesWith(kernel.getResults());
  fused.erase();
  return success();
}

LogicalResult convertToLinalg(func::FuncOp function) {
  for (ir::FusedOp fused : llvm::make_early_inc_range(function.getBody().front().getOps<ir::FusedOp>()))
    if (failed(convert(fused)))
      return failure();
  return success();
}

namespace {
struct TenferroToLinalgPass : impl::TenferroToLinalgPassBase<TenferroToLinalgPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    auto groups = function.getBody().front().getOps<ir::FusedOp>();
    kernels += std::distance(groups.begin(), groups.end());
    if (failed(convertToLinalg(function)))
      signalPassFailure();
  }
};
} // namespace

} // namespace tenferro::compiler
