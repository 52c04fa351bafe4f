// Derivatives of what users bring: their rules, inlined.
#include "dialects/tenferro/Extension.h"
#include "dialects/tenferro/RuleBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tenferro::ir {

/// `values` with zeros for absent ones; `of` are the values they are derivatives of.
static SmallVector<Value> withZeros(OpBuilder &builder, Location loc, ArrayRef<Value> values, ValueRange of) {
  SmallVector<Value> filled;
  for (auto [value, like] : llvm::zip_equal(values, of))
    if (isFloatTensor(like.getType()))
      filled.push_back(value ? value : RuleBuilder(builder, loc).splat(like.getType(), 0.0));
  return filled;
}

/// One entry per value of `of`: the next of `floats` where it is a float, else null.
static SmallVector<Value> spread(ArrayRef<Value> floats, ValueRange of) {
  SmallVector<Value> all;
  for (Value value : of) {
    bool isFloat = isFloatTensor(value.getType()) && !floats.empty();
    all.push_back(isFloat ? floats.front() : Value());
    floats = floats.drop_front(isFloat);
  }
  return all;
}

/// Copies the body of a jvp rule as `inlineFunction` does; `arguments` end with the tangents, null where absent. What
/// is linear in absent ones alone is zero: as a product of zeros nobody could tell it from a term that is fixed.
static SmallVector<Value> inlineTangentRule(OpBuilder &builder, Operation *from, FlatSymbolRefAttr callee,
                                            ArrayRef<Value> arguments) {
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(from, callee);
  if (!function || function.isExternal() || llvm::all_of(arguments, [](Value value) { return bool(value); }))
    return inlineFunction(builder, from, callee, arguments);
  Block &body = function.getFunctionBody().front();
  IRMapping map;
  DenseMap<Type, Value> zeros;
  DenseSet<Value> isZero; // of the copy
  auto zeroOf = [&](Type type) {
    Value &zero = zeros[type];
    if (!zero)
      isZero.insert(zero = RuleBuilder(builder, from->getLoc()).splat(type, 0.0));
    return zero;
  };
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    map.map(argument, value ? value : zeroOf(argument.getType()));
  for (Operation &op : body.without_terminator()) {
    auto linear = dyn_cast<LinearOpInterface>(op);
    SmallVector<bool> mask = linear ? linear.linearOperands() : SmallVector<bool>(op.getNumOperands(), false);
    size_t masked = 0, absent = 0;
    for (auto [operand, isLinear] : llvm::zip_equal(op.getOperands(), mask)) {
      masked += isLinear;
      absent += isLinear && isZero.contains(map.lookup(operand));
    }
    bool vanishes =
        absent && (linear.isBilinear() || absent == masked) && llvm::all_of(op.getResultTypes(), isFloatTensor);
    if (!vanishes) {
      builder.clone(op, map);
      continue;
    }
    for (Value result : op.getResults())
      map.map(result, zeroOf(result.getType()));
  }
  SmallVector<Value> results;
  for (Value returned : body.getTerminator()->getOperands())
    results.push_back(map.lookup(returned));
  return results;
}

//===- custom_call ----------------------------------------------------------------------------------------------===//

SmallVector<bool> CustomCallOp::linearOperands() {
  SmallVector<bool> mask(getValues().size(), false);
  for (unsigned i = 0; i < mask.size(); ++i)
    mask[i] = isLinearIn(i);
  return mask;
}

SmallVector<bool> CustomCallOp::nonlinearOperands() {
  // What only the rules captured does not move the results.
  unsigned inputs = inputCount(), rules = inputs + static_cast<unsigned>(getCaptures());
  bool hasRule = getJvp() || getVjp();
  SmallVector<bool> mask(getValues().size(), false);
  for (unsigned i = 0; i < mask.size(); ++i)
    mask[i] = i < inputs ? hasRule && !isLinearIn(i) : i >= rules;
  return mask;
}

SmallVector<Value> CustomCallOp::buildTangent(OpBuilder &builder, ArrayRef<Value> tangents) {
  ArrayRef<Value> ofInputs = tangents.take_front(inputCount());
  if (llvm::none_of(ofInputs, [](Value tangent) { return static_cast<bool>(tangent); }))
    return SmallVector<Value>(getNumResults());
  SmallVector<Value> residuals(getValues());
  llvm::append_range(residuals, getOutputs());
  if (!getVjp()) {
    for (auto [tangent, input] : llvm::zip_first(ofInputs, getValues()))
      if (isFloatTensor(input.getType()))
        residuals.push_back(tangent);
    return spread(inlineTangentRule(builder, *this, getJvpAttr(), residuals), getOutputs());
  }
  SmallVector<Value> filled = withZeros(builder, getLoc(), ofInputs, getValues().take_front(inputCount()));
  SmallVector<Type> types;
  for (Value result : getOutputs())
    if (isFloatTensor(result.getType()))
      types.push_back(result.getType());
  auto call =
      LinearCallOp::create(builder, getLoc(), types, getNameAttr(), residuals, filled, getVjpAttr(), getJvpAttr());
  return spread(SmallVector<Value>(call.getOutputs()), getOutputs());
}

SmallVector<Value> CustomCallOp::buildLinear(OpBuilder &builder, ArrayRef<Value> tangents) {
  SmallVector<Value> floats, arguments(getValues());
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (isLinearIn(i))
      arguments[i] = tangents[i] ? tangents[i] : RuleBuilder(builder, getLoc()).splat(arguments[i].getType(), 0.0);
  Operation *again = getOperation()->cloneWithoutRegions();
  again->setOperands(arguments);
  builder.insert(again);
  for (Value result : again->getResults())
    if (isFloatTensor(result.getType()))
      floats.push_back(result);
  return spread(floats, getOutputs());
}

SmallVector<Value> CustomCallOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                 ArrayRef<bool> wanted) {
  SmallVector<Value> arguments;
  for (auto [i, value] : llvm::enumerate(getValues()))
    if (!isLinearIn(i))
      arguments.push_back(value);
  llvm::append_range(arguments, withZeros(builder, getLoc(), cotangents, getOutputs()));
  SmallVector<Value> made = inlineFunction(builder, *this, getTransposeAttr(), arguments);
  SmallVector<Value> answer(getValues().size());
  for (unsigned i = 0, next = 0; i < answer.size(); ++i)
    if (isLinearIn(i)) {
      answer[i] = wanted[i] && next < made.size() ? made[next] : Value();
      ++next;
    }
  return answer;
}

LogicalResult CustomCallOp::reportMissingRule(unsigned operand, bool transposing, int64_t order) {
  unsigned inputs = inputCount(), rules = inputs + static_cast<unsigned>(getCaptures());
  auto error = mlir::emitError(getLoc()) << "'" << getName() << "' has no derivative rule ";
  if (operand >= inputs && (operand < rules || transposing))
    return error << "for captured value " << operand - inputs << " at order " << order
                 << "; what is differentiated must be an input";
  return error << "of role " << (transposing ? "transpose" : "vjp or jvp") << " for input " << operand << " at order "
               << order;
}

bool CustomCallOp::isTakenForLinear() { return !getPrimal() && !getTranspose(); }

//===- linear_call ----------------------------------------------------------------------------------------------===//

SmallVector<bool> LinearCallOp::linearOperands() {
  SmallVector<bool> mask(getResiduals().size(), false);
  mask.append(getTangents().size(), true);
  return mask;
}

SmallVector<Value> LinearCallOp::buildLinear(OpBuilder &builder, ArrayRef<Value> tangents) {
  SmallVector<Value> filled = withZeros(builder, getLoc(), tangents.drop_front(getResiduals().size()), getTangents());
  auto again = LinearCallOp::create(builder, getLoc(), getOutputs().getTypes(), getNameAttr(), getResiduals(), filled,
                                    getVjpAttr(), getJvpAttr());
  return SmallVector<Value>(again.getOutputs());
}

SmallVector<Value> LinearCallOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                 ArrayRef<bool> wanted) {
  SmallVector<Value> arguments(getResiduals());
  llvm::append_range(arguments, withZeros(builder, getLoc(), cotangents, getOutputs()));
  SmallVector<Value> made = inlineFunction(builder, *this, getVjpAttr(), arguments);
  SmallVector<Value> answer(getNumOperands());
  for (auto [i, cotangent] : llvm::enumerate(made))
    if (unsigned at = getResiduals().size() + i; wanted[at])
      answer[at] = cotangent;
  return answer;
}

LogicalResult LinearCallOp::reportMissingRule(unsigned operand, bool transposing, int64_t order) {
  return mlir::emitError(getLoc()) << "'" << getName() << "' has no derivative rule of role "
                                   << (transposing ? "transpose" : "jvp") << " for operand " << operand
                                   << " of its linear call at order " << order;
}

bool LinearCallOp::isTakenForLinear() { return false; }

FailureOr<SmallVector<Value>> LinearCallOp::buildForward(OpBuilder &builder, int64_t order) {
  if (!getJvp()) {
    mlir::emitError(getLoc()) << "'" << getName() << "' has no derivative rule of role jvp at order " << order
                              << "; a vjp rule gives reverse derivatives alone";
    return failure();
  }
  SmallVector<Value> made = inlineFunction(builder, *this, getJvpAttr(), getOperands());
  if (made.size() != getNumResults())
    return failure();
  return made;
}

} // namespace tenferro::ir
