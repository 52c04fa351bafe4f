// Functions with derivative rules of their own: bodies as private functions, each call as one operation.
#include "lib/Import/ImportGraph.h"

#include "dialects/tenferro/Creation.h"
#include "dialects/tenferro/Extension.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/Transforms/Cleanup.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

using namespace mlir;

namespace tenferro::compiler {

/// A rule's number as a constant.
static Value createConstant(OpBuilder &builder, Location loc, Type type, const core::RuleConstant &constant) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute value;
  if (auto floatType = dyn_cast<FloatType>(element))
    value = FloatAttr::get(floatType, constant.real);
  else
    value = IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(constant.integer),
                                            /*isSigned=*/false, /*implicitTrunc=*/true));
  return ir::ConstantOp::create(builder, loc, tensor, DenseElementsAttr::get(tensor, value));
}

static std::string bodyName(StringRef prefix, core::CustomRole role) {
  return (prefix + "." + StringRef(core::name(role))).str();
}

/// `work`, whose errors are raised at `place`: a body's operations have numbers of their own.
template <typename Work> static LogicalResult withErrorsAt(Location place, Work work) {
  std::string first;
  LogicalResult done = success();
  {
    ScopedDiagnosticHandler collect(place.getContext(), [&](Diagnostic &diagnostic) {
      if (first.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        first = diagnostic.str();
      return success();
    });
    done = work();
  }
  if (!first.empty())
    return mlir::emitError(place) << first;
  return done;
}

LogicalResult Importer::importBody(const core::CustomFunction &function, core::CustomRole role, StringRef prefix) {
  const core::RuleFunction &rule = *core::roleBody(function, role);
  std::string name = bodyName(prefix, role);
  FailureOr<ImportedProgram> imported = import(rule.graph, core::Transform(), name);
  if (failed(imported))
    return failure();
  func::FuncOp body = imported->function;
  body.setPrivate();
  Block &block = body.getBody().front();
  if (!rule.constants.empty()) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    size_t first = rule.graph.inputs.size() - rule.constants.size();
    for (const core::RuleConstant &constant : rule.constants) {
      Value argument = block.getArgument(constant.input);
      argument.replaceAllUsesWith(createConstant(builder, body.getLoc(), argument.getType(), constant));
    }
    block.eraseArguments(first, rule.constants.size());
    body.setFunctionType(FunctionType::get(body.getContext(), block.getArgumentTypes(), body.getResultTypes()));
    simplify(body); // so that a repeated zero is seen to be zero
  }
  if (role == core::CustomRole::Jvp) {
    int64_t arguments = block.getNumArguments();
    unsigned tangents = 0;
    for (uint32_t i = 0; i < function.inputs; ++i)
      tangents += isDifferentiable(function.operands[i].dtype);
    SmallVector<int64_t> linear;
    for (int64_t i = arguments - tangents; i < arguments; ++i)
      linear.push_back(i);
    body->setAttr("tenferro.linear", DenseI64ArrayAttr::get(body.getContext(), linear));
    return verifyForwardRule(body, tangents, function.name, body.getLoc());
  }
  return success();
}

LogicalResult Importer::importCustomCall(OpBuilder &builder, Location loc, const core::GraphOp &op,
                                         std::vector<Value> &values) {
  const core::CustomFunction &function = *op.custom;
  DictionaryAttr attributes = customs_.lookup(&function);
  if (!attributes) {
    NamedAttrList list;
    list.set("name", builder.getStringAttr(function.name));
    list.set("version", builder.getI64IntegerAttr(static_cast<int64_t>(function.version)));
    list.set("inputs", builder.getI64IntegerAttr(function.inputs));
    list.set("captures", builder.getI64IntegerAttr(function.captures));
    SmallVector<bool> linear(function.linear.begin(), function.linear.end());
    list.set("linear", builder.getDenseBoolArrayAttr(linear));
    list.set("parameters",
             builder.getDenseI64ArrayAttr(ArrayRef(function.parameters.data(), function.parameters.size())));
    std::string prefix = function.name + "#" + std::to_string(nextCustom_++);
    using core::CustomRole;
    const CustomRole roles[] = {CustomRole::Primal, CustomRole::Jvp, CustomRole::Vjp, CustomRole::Transpose};
    for (CustomRole role : roles)
      if (core::roleBody(function, role))
        list.set(StringRef(core::name(role)), FlatSymbolRefAttr::get(builder.getContext(), bodyName(prefix, role)));
    // Known before its bodies are read: a family's rules may use the family.
    attributes = customs_[&function] = list.getDictionary(builder.getContext());
    for (CustomRole role : roles)
      if (core::roleBody(function, role) &&
          failed(withErrorsAt(loc, [&] { return importBody(function, role, prefix); })))
        return failure();
  }
  OperationState state(loc, ir::CustomCallOp::getOperationName());
  for (uint32_t operand : op.operands)
    state.addOperands(values[operand]);
  for (const core::ValueType &result : op.results)
    state.addTypes(ir::typeToIr(builder.getContext(), result));
  state.addAttributes(attributes.getValue());
  Operation *call = builder.create(state);
  values.insert(values.end(), call->result_begin(), call->result_end());
  return success();
}

} // namespace tenferro::compiler
