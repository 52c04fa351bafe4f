// Verification of calls against the bodies they name, and inlining of bodies.
#include "dialects/tenferro/Extension.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Extension.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType, ComplexType>(tensor.getElementType());
}

SmallVector<Value> inlineFunction(OpBuilder &builder, Operation *from, FlatSymbolRefAttr callee, ValueRange arguments) {
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(from, callee);
  if (!function || function.isExternal()) {
    // Import reads a rule that differentiates a program which uses the rule: there is no such rule yet.
    emitError(from->getLoc()) << "'" << callee.getValue()
                              << "' expects a rule that does not differentiate what it is the rule of";
    return {};
  }
  Block &body = function.getFunctionBody().front();
  IRMapping map;
  map.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    builder.clone(op, map);
  SmallVector<Value> results;
  for (Value returned : body.getTerminator()->getOperands())
    results.push_back(map.lookup(returned));
  return results;
}

/// Appends the float ones of `types`.
static void appendFloats(SmallVectorImpl<Type> &to, TypeRange types) {
  for (Type type : types)
    if (isFloatTensor(type))
      to.push_back(type);
}

/// Succeeds if `callee` is a function of the module of one block and this type.
static LogicalResult verifyBody(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr callee, StringRef role,
                                TypeRange arguments, TypeRange results) {
  if (!callee)
    return success();
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!function || function.isExternal() || !function.getFunctionBody().hasOneBlock())
    return op->emitOpError("expects '") << role << "' to name a function of one block, but got " << callee;
  if (TypeRange(function.getArgumentTypes()) != arguments || TypeRange(function.getResultTypes()) != results)
    return op->emitOpError("expects '") << role << "' of type "
                                        << FunctionType::get(op->getContext(), arguments, results) << ", but " << callee
                                        << " has " << function.getFunctionType();
  return success();
}

LogicalResult CustomCallOp::verify() {
  int64_t inputs = getInputs() ? *getInputs() : static_cast<int64_t>(getValues().size());
  int64_t captures = static_cast<int64_t>(getCaptures());
  int64_t given = static_cast<int64_t>(getValues().size());
  if (getOutputs().empty())
    return emitOpError("expects a result");
  if (inputs < 0 || captures < 0 || inputs > given || captures > given - inputs)
    return emitOpError("expects ") << inputs << " inputs and " << captures
                                   << " captured values among its operands, but got " << given;
  int64_t flags = getTranspose() ? inputs : 0;
  if (static_cast<int64_t>(getLinear().size()) != flags)
    return emitOpError("expects ") << flags << " flags in 'linear', one per input where there is a transpose, but got "
                                   << getLinear().size();
  for (int64_t i = 0; i < flags; ++i)
    if (getLinear()[i] && !isFloatTensor(getValues()[i].getType()))
      return emitOpError("expects floats in linear inputs, but input ") << i << " is " << getValues()[i].getType();
  return success();
}

LogicalResult CustomCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  unsigned inputs = inputCount();
  SmallVector<Type> all(getValues().getTypes()), results(getOutputs().getTypes());
  SmallVector<Type> floatInputs, floatResults, linear, fixed;
  appendFloats(floatInputs, ArrayRef<Type>(all).take_front(inputs));
  appendFloats(floatResults, results);
  for (auto [i, type] : llvm::enumerate(all))
    (isLinearIn(i) ? linear : fixed).push_back(type);
  auto joined = [](ArrayRef<Type> a, ArrayRef<Type> b) {
    SmallVector<Type> both(a);
    llvm::append_range(both, b);
    return both;
  };
  SmallVector<Type> residuals = joined(all, results);
  ArrayRef<Type> taken = ArrayRef<Type>(all).take_front(inputs + getCaptures());
  if (failed(verifyBody(*this, symbols, getPrimalAttr(), "primal", taken, results)) ||
      failed(verifyBody(*this, symbols, getJvpAttr(), "jvp", joined(residuals, floatInputs), floatResults)) ||
      failed(verifyBody(*this, symbols, getVjpAttr(), "vjp", joined(residuals, floatResults), floatInputs)) ||
      failed(verifyBody(*this, symbols, getTransposeAttr(), "transpose", joined(fixed, floatResults), linear)))
    return failure();
  return success();
}

LogicalResult LinearCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SmallVector<Type> forVjp(getResiduals().getTypes()), forJvp(forVjp);
  llvm::append_range(forVjp, getOutputs().getTypes());
  llvm::append_range(forJvp, getTangents().getTypes());
  if (failed(verifyBody(*this, symbols, getVjpAttr(), "vjp", forVjp, getTangents().getTypes())) ||
      failed(verifyBody(*this, symbols, getJvpAttr(), "jvp", forJvp, getOutputs().getTypes())))
    return failure();
  return success();
}

} // namespace tenferro::ir
