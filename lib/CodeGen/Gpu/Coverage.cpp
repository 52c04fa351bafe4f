// Which operations have a device kernel. What is not named here is refused, so an operation that is added to the
// dialect is an error with its name until somebody writes its kernel.
#include "lib/CodeGen/Gpu/Coverage.h"

#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Gpu/Reduction.h"
#include "lib/Transforms/BufferPlan.h"
#include "lib/Transforms/OpFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;

/// Vulkan's indices are 32-bit, and the kernels compute with them as signed numbers; a step of the largest grid beyond
/// the last element must not wrap.
constexpr int64_t kMostElements32 = std::numeric_limits<int32_t>::max() - 65535 * 128;

static std::string quoted(StringRef name) { return ("'" + name + "' op").str(); }

/// The name of the operation in (or of) a launch that has no kernel; nothing if all is well.
static std::optional<std::string> missingIn(Operation *op) {
  std::string name = quoted(op->getName().getStringRef());
  if (op->hasTrait<OpTrait::ConstantLike>() || isViewOp(op) || isa<ir::ElementwiseOpInterface>(op))
    return std::nullopt;
  if (auto kernel = dyn_cast<ir::KernelOp>(op)) {
    std::optional<std::string> missing;
    kernel.walk([&](linalg::GenericOp generic) {
      Attribute how = generic->getAttr("tenferro.reduction");
      auto mnemonic = dyn_cast_or_null<StringAttr>(how);
      if (how && !(mnemonic && combineOf(mnemonic.getValue())))
        missing =
            mnemonic ? quoted(("tenferro." + mnemonic.getValue()).str()) : "'" + kernel.getLabel().str() + "' group";
    });
    return missing;
  }
  const core::OpSchema *schema = schemaOf(op);
  if (!schema)
    return name;
  switch (schema->kind) {
  case OpKind::DotGeneral:
  case OpKind::Take:
  case OpKind::ScatterAdd:
  case OpKind::Pad:
  case OpKind::Concatenate:
  case OpKind::EmbedDiag:
  case OpKind::Gather:
  case OpKind::Scatter:
  case OpKind::Cumsum:
  case OpKind::Argmax:
  case OpKind::Argmin:
    return std::nullopt;
  default:
    return combineOf(schema->mnemonic) ? std::nullopt : std::optional(name);
  }
}

LogicalResult checkCoverage(func::FuncOp function, StringRef target) {
  LogicalResult covered = success();
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::string name = quoted(op.getName().getStringRef());
    Value typical = op.getNumResults() ? op.getResult(0) : op.getNumOperands() ? op.getOperand(0) : Value();
    auto dtypeOf = [](Value value) {
      auto type = value ? ir::typeFromIr(value.getType()) : std::nullopt;
      return type ? std::string(tenferro::name(type->dtype)) : std::string("its types");
    };
    if (std::optional<std::string> missing = missingIn(&op))
      covered = emitError(op.getLoc()) << *missing << " has no kernel on " << target << " for " << dtypeOf(typical);
    for (Value value : op.getResults())
      if (target == "spirv" && ir::typeFromIr(value.getType())->shape.elementCount() > kMostElements32)
        covered = emitError(op.getLoc()) << name << " expects at most " << kMostElements32
                                         << " elements on spirv, but got " << value.getType();
  }
  for (BlockArgument argument : function.getArguments())
    if (target == "spirv" && ir::typeFromIr(argument.getType())->shape.elementCount() > kMostElements32)
      covered = emitError(function.getLoc()) << "argument " << argument.getArgNumber() << " expects at most "
                                             << kMostElements32 << " elements on spirv, but got " << argument.getType();
  return covered;
}

LogicalResult checkKernelCode(Operation *kernel, StringRef label, StringRef target) {
  LogicalResult covered = success();
  kernel->walk([&](Operation *op) {
    bool lowers =
        op->getDialect() != op->getContext()->getLoadedDialect<math::MathDialect>() ||
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
            math::IsInfOp, math::IsNaNOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
    if (lowers && !isa<arith::RemFOp>(op))
      return;
    covered = emitError(op->getLoc()) << "'" << op->getName() << "' in kernel '" << label << "' has no lowering on "
                                      << target << " for " << op->getResult(0).getType();
  });
  return covered;
}

} // namespace tenferro::compiler
