// Finding functions and arguments by the options of a pass, and saying what is wrong with them.
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Provenance.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tenferro::compiler {

mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name) {
  mlir::func::FuncOp found;
  unsigned count = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (name.empty() || function.getSymName() == name) {
      found = function;
      ++count;
    }
  }
  if (count == 1)
    return found;
  if (!name.empty())
    module.emitError("option 'function' expects a function of the module, but there is no '") << name << "'";
  else
    module.emitError("option 'function' is needed where a module has not exactly one function, but it has ") << count;
  return {};
}

mlir::FailureOr<llvm::SmallVector<mlir::Value>> selectArguments(mlir::func::FuncOp function,
                                                                llvm::ArrayRef<unsigned> numbers) {
  llvm::SmallVector<mlir::Value> values;
  if (numbers.empty()) {
    for (mlir::Value argument : function.getArguments())
      if (isDifferentiable(argument.getType()))
        values.push_back(argument);
    return values;
  }
  for (unsigned number : numbers) {
    if (number >= function.getNumArguments())
      return function.emitError("option 'wrt' expects arguments in [0, ")
             << function.getNumArguments() << "), but got " << number;
    values.push_back(function.getArgument(number));
  }
  return values;
}

mlir::LogicalResult checkDerivable(mlir::func::FuncOp function, llvm::StringRef result) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("differentiation expects a function of one block, but '")
           << function.getSymName() << "' has " << function.getBody().getBlocks().size();
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());
  if (!dialect)
    return function.emitError("differentiation needs a dialect with derivatives, but none is loaded");
  if (!llvm::isa<mlir::func::ReturnOp>(function.getBody().front().getTerminator()))
    return function.emitError("differentiation expects a function that returns, but '")
           << function.getSymName() << "' ends in '" << function.getBody().front().getTerminator()->getName() << "'";
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!dialect->hasType(type))
      return function.emitError("differentiation expects tensors of static shape and known dtype, but argument ")
             << i << " has type " << type;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (!dialect->hasType(type))
      return function.emitError("differentiation expects tensors of static shape and known dtype, but result ")
             << i << " has type " << type;
  // A region can capture an active value behind the back of the operands.
  for (mlir::Operation &op : function.getBody().front())
    if (op.getNumRegions())
      return op.emitOpError("has no derivative: differentiation expects operations without regions");
  if (mlir::Operation *table = mlir::SymbolTable::getNearestSymbolTable(function->getParentOp()))
    if (mlir::SymbolTable::lookupSymbolIn(table, result))
      return function.emitError("the derivative of '")
             << function.getSymName() << "' needs the name '" << result << "', but it is taken";
  return mlir::success();
}

} // namespace tenferro::compiler
