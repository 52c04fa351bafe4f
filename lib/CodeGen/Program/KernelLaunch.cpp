// Launches of kernels to be generated: how each reads its operands, what it weighs, which function it calls.
#include "lib/CodeGen/Program/KernelLaunch.h"

#include "lib/CodeGen/Program/KernelKey.h"
#include "lib/Transforms/OpFacts.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::compiler {

using runtime::Access;
using runtime::Launch;
using runtime::LaunchKind;
using runtime::View;

LogicalResult checkKernel(ir::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto generic = llvm::hasSingleElement(body) ? dyn_cast<linalg::GenericOp>(body.front()) : linalg::GenericOp();
  if (!generic)
    return kernel.emitOpError("expects a body of one linalg.generic (tenferro-to-linalg makes it)");
  auto numberOf = [&](Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument && argument.getOwner() == &body ? argument.getArgNumber() : body.getNumArguments();
  };
  unsigned inputs = kernel.getInputs().size();
  SmallVector<AffineExpr> kept;
  for (auto [d, type] : llvm::enumerate(generic.getIteratorTypesArray()))
    if (type == utils::IteratorType::parallel)
      kept.push_back(getAffineDimExpr(static_cast<unsigned>(d), kernel.getContext()));
  for (OpOperand *input : generic.getDpsInputOperands())
    if (numberOf(input->get()) >= inputs ||
        !generic.getMatchingIndexingMap(input).isProjectedPermutation(/*allowZeroInResults=*/true))
      return generic.emitOpError(
                 "expects inputs that are inputs of the kernel, read along axes or at 0, but not operand ")
             << input->getOperandNumber();
  for (auto [i, output] : llvm::enumerate(generic.getDpsInitsMutable()))
    if (numberOf(output.get()) != inputs + i || generic.getMatchingIndexingMap(&output).getResults() != ArrayRef(kept))
      return generic.emitOpError("expects outputs that are the results of the kernel, over its parallel axes in "
                                 "order, but not output ")
             << i;
  if (generic.getNumDpsInits() != kernel.getNumResults())
    return generic.emitOpError("expects an output for each of ") << kernel.getNumResults() << " results";
  if (generic.getNumReductionLoops() && !generic->hasAttr("tenferro.reduction"))
    return generic.emitOpError("expects 'tenferro.reduction' where it has reduced axes");
  return success();
}

/// Vector instructions, roughly: a function of the math dialect is a polynomial with what goes before and after it.
static uint32_t weightOf(linalg::GenericOp generic) {
  uint32_t weight = 0;
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (isa<math::AbsFOp, math::CopySignOp, math::FloorOp, math::CeilOp, math::FmaOp>(op))
      weight += 1;
    else if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
      weight += 3;
    else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op))
      weight += 12;
    else if (op.getName().getDialectNamespace() == math::MathDialect::getDialectNamespace())
      weight += 24;
    else
      weight += !op.hasTrait<OpTrait::ConstantLike>();
  }
  return weight;
}

/// How the kernel reads an operand along the dimension its driver will vectorise, the first of extent over 1. A row
/// kernel walks all reduced axes at once, and where either kernel of a reduction may run, a scalar is one element for
/// all.
static Access accessOf(const Shape &iteration, const IntList &strides, int64_t vectorised, const Launch &launch) {
  if (vectorised == iteration.rank())
    return Access::Unit;
  auto isWalked = [&](int64_t d) {
    if (launch.kind == LaunchKind::Map)
      return d == vectorised;
    return !launch.rowOnly || std::find(launch.axes.begin(), launch.axes.end(), d) != launch.axes.end();
  };
  for (int64_t d = vectorised; d < iteration.rank(); ++d)
    if (isWalked(d) && iteration[d] != 1 && strides[d] != 0)
      return Access::Unit;
  return Access::Scalar;
}

/// What the body does, as profilers and debuggers show it: "_mulf_exp_select".
static std::string spelled(linalg::GenericOp generic) {
  constexpr size_t kLongest = 48;
  std::string text;
  for (Operation &op : generic.getBody()->without_terminator()) {
    StringRef name = op.getName().stripDialect();
    if (op.hasTrait<OpTrait::ConstantLike>() || text.ends_with(name))
      continue;
    if (text.size() + name.size() >= kLongest)
      break;
    text += "_";
    text += name;
  }
  return text;
}

uint32_t KernelFunctions::numberOf(linalg::GenericOp generic, bool isReduction, bool rowOnly, ArrayRef<Access> access) {
  std::string key = (rowOnly ? "rows only\n" : "") + kernelKey(generic, access);
  auto [it, isNew] = numbers_.try_emplace(key, static_cast<uint32_t>(symbols_.size()));
  if (!isNew)
    return it->second;
  KernelRequest request;
  request.generic = generic;
  request.isReduction = isReduction;
  request.access.assign(access.begin(), access.end());
  request.key = std::move(key);
  std::string name = "k" + std::to_string(kernels_.size()) + spelled(generic);
  if (isReduction && !rowOnly)
    request.symbols = {name + "_row", name + "_column"};
  else
    request.symbols = {isReduction ? name + "_row" : name};
  symbols_.insert(symbols_.end(), request.symbols.begin(), request.symbols.end());
  kernels_.push_back(std::move(request));
  return it->second;
}

Launch launchOf(ir::KernelOp kernel, const BufferPlan &plan, ProgramValues &values, KernelFunctions &functions) {
  auto generic = cast<linalg::GenericOp>(kernel.getBody().front().front());
  auto extents = generic.getStaticLoopRanges();
  Shape iteration(extents.rbegin(), extents.rend());
  int64_t rank = iteration.rank();

  Launch launch;
  SmallVector<int64_t> reduced;
  auto iterators = generic.getIteratorTypesArray(); // outlives the loop
  for (auto [d, type] : llvm::enumerate(llvm::reverse(iterators)))
    if (type == utils::IteratorType::reduction)
      reduced.push_back(static_cast<int64_t>(d));
  bool isReduction = generic->hasAttr("tenferro.reduction");
  launch.kind = isReduction ? LaunchKind::Reduce : LaunchKind::Map;
  launch.axes = IntList(reduced.begin(), reduced.end());
  launch.outputs = kernel.getNumResults();
  int64_t vectorised = 0;
  while (vectorised < rank && iteration[vectorised] == 1)
    ++vectorised;
  // Rows where the fastest dimension is reduced; the other kernel would be slower there, and compiles for nothing.
  launch.rowOnly = isReduction && (vectorised == rank || llvm::is_contained(reduced, vectorised));

  for (OpOperand *input : generic.getDpsInputOperands()) {
    Value operand = kernel.getOperand(cast<BlockArgument>(input->get()).getArgNumber());
    AffineMap map = generic.getMatchingIndexingMap(input);
    View view = repeatedView(iteration);
    int64_t operandRank = map.getNumResults();
    for (auto [j, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        view.dims[rank - 1 - dim.getPosition()] = operandRank - 1 - static_cast<int64_t>(j);
    IntList source = plan.strides(operand), strides;
    for (int64_t d = 0; d < rank; ++d)
      strides.push_back(view.dims[d] < 0 ? 0 : source[view.dims[d]]);
    uint32_t number = values.of(operand);
    if (!map.isIdentity())
      number = values.addView({valueTypeOf(operand).dtype, iteration}, number, std::move(view));
    launch.operands.push_back(number);
    launch.access.push_back(accessOf(iteration, strides, vectorised, launch));
  }
  for (int64_t dimension : indexDimensions(generic)) {
    launch.operands.push_back(values.addCoordinate(iteration, rank - 1 - dimension));
    launch.access.push_back(Access::Index);
  }
  for (Value result : kernel.getResults()) {
    launch.operands.push_back(values.of(result));
    launch.access.push_back(Access::Unit);
    if (auto reduction = generic->getAttrOfType<StringAttr>("tenferro.reduction"))
      launch.combine.push_back(reduction.str() + "." + std::string(name(valueTypeOf(result).dtype)));
  }
  launch.weight = weightOf(generic);
  for (Operation &op : *generic.getBody())
    if (op.getName().getStringRef() == "tenferro.raise_if")
      launch.opNumbers.push_back(traceNumber(op.getLoc()));
  launch.function = functions.numberOf(generic, isReduction, launch.rowOnly, launch.access);
  return launch;
}

} // namespace tenferro::compiler
