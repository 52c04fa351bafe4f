// Registration of operations and attributes, and what the differentiation engine asks of the dialect.
#include "dialects/tenferro/TenferroDialect.h"

#include "dialects/tenferro/Arithmetic.h"
#include "dialects/tenferro/Comparison.h"
#include "dialects/tenferro/Contraction.h"
#include "dialects/tenferro/Creation.h"
#include "dialects/tenferro/DerivativeDialectInterface.h"
#include "dialects/tenferro/Extension.h"
#include "dialects/tenferro/Indexing.h"
#include "dialects/tenferro/Movement.h"
#include "dialects/tenferro/Reduction.h"
#include "dialects/tenferro/RuleBuilder.h"
#include "dialects/tenferro/Structure.h"
#include "dialects/tenferro/Transcendental.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/tenferro/TenferroDialect.cpp.inc"
#include "dialects/tenferro/TenferroEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tenferro/TenferroAttributes.cpp.inc"

#include "dialects/tenferro/Interfaces.cpp.inc"

namespace tenferro::ir {

namespace {

class Derivatives final : public DerivativeDialectInterface {
public:
  using DerivativeDialectInterface::DerivativeDialectInterface;

  bool hasType(Type type) const override { return typeFromIr(type).has_value(); }
  Value add(OpBuilder &builder, Location loc, Value a, Value b) const override {
    return AddOp::create(builder, loc, a, b);
  }
  Value zero(OpBuilder &builder, Location loc, Type type) const override {
    return RuleBuilder(builder, loc).splat(type, 0.0);
  }
  Value one(OpBuilder &builder, Location loc, Type type) const override {
    return RuleBuilder(builder, loc).splat(type, 1.0);
  }
  bool isZero(Operation *op) const override {
    auto constant = dyn_cast<ConstantOp>(op);
    auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (!value || !value.isSplat())
      return false;
    if (isa<FloatType>(value.getElementType()))
      return value.getSplatValue<APFloat>().isZero();
    return value.getSplatValue<APInt>().isZero();
  }
  StringRef explainedName(Operation *op) const override {
    if (auto call = dyn_cast<CustomCallOp>(op))
      return call.getNameAttr().getValue();
    if (auto call = dyn_cast<LinearCallOp>(op))
      return call.getNameAttr().getValue();
    return op->getName().stripDialect();
  }
  int64_t explainedOperand(Operation *op, int64_t operand) const override {
    auto call = dyn_cast<LinearCallOp>(op);
    if (!call || operand < 0)
      return operand;
    // Residuals begin with the inputs of the call, and each float input has a tangent, in order.
    int64_t tangent = operand - static_cast<int64_t>(call.getResiduals().size());
    for (auto [i, residual] : llvm::enumerate(call.getResiduals()))
      if (tangent >= 0 && isFloatTensor(residual.getType()) && tangent-- == 0)
        return static_cast<int64_t>(i);
    return -1;
  }
  ForwardRule forwardRule(Operation *op) const override {
    if (auto call = dyn_cast<CustomCallOp>(op)) {
      auto inputs = call.getValues().take_front(call.inputCount()).getTypes();
      return {call.getJvpAttr(), static_cast<unsigned>(llvm::count_if(inputs, isFloatTensor))};
    }
    if (auto call = dyn_cast<LinearCallOp>(op))
      return {call.getJvpAttr(), static_cast<unsigned>(call.getTangents().size())};
    return {};
  }
  Attribute rule(MLIRContext *context, StringRef op, bool cotangent, int64_t operand, int64_t order) const override {
    return RuleAttr::get(context, op, cotangent ? RuleRole::Cotangent : RuleRole::Tangent, operand, order);
  }
  int64_t ruleOrder(Attribute rule) const override {
    auto attribute = dyn_cast_or_null<RuleAttr>(rule);
    return attribute ? attribute.getOrder() : 0;
  }
  std::string ruleName(Operation *op) const override {
    return (isa<CustomCallOp, LinearCallOp>(op) ? "@" : "") + explainedName(op).str();
  }
  StringRef ruleOp(Attribute rule) const override {
    auto attribute = dyn_cast_or_null<RuleAttr>(rule);
    return attribute ? attribute.getOp() : StringRef();
  }
  std::string ruleTerm(Attribute rule) const override {
    auto attribute = dyn_cast_or_null<RuleAttr>(rule);
    if (!attribute)
      return {};
    if (attribute.getOp() == "return")
      return "seed";
    StringRef name = attribute.getOp();
    name.consume_front("@");
    std::string term = name.str() + ": " + stringifyRuleRole(attribute.getRole()).str();
    return attribute.getOperand() < 0 ? term : term + " of operand " + std::to_string(attribute.getOperand());
  }
};

/// Operations are pure, but for errors that do not depend on where they stand: any may be inlined.
struct Inlining final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};

} // namespace

void TenferroDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tenferro/TenferroAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenferro/Arithmetic.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Comparison.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Contraction.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Creation.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Extension.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Indexing.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Movement.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Reduction.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Structure.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tenferro/Transcendental.cpp.inc"
      >();
  detail::registerSchemas(getContext());
  addInterfaces<Derivatives, Inlining>();
}

Operation *TenferroDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, type, elements).getOperation()
                                                : nullptr;
}

} // namespace tenferro::ir
