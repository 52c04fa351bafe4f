// tenferro-freeze: the program apart from its data. Captured constants become arguments.
#include "lib/AutoDiff/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_FREEZEPASS
#include "lib/AutoDiff/Passes.h.inc"

namespace {

struct FreezePass : impl::FreezePassBase<FreezePass> {
  using FreezePassBase::FreezePassBase;

  void runOnOperation() override {
    for (auto target : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>()))
      if (!target.isExternal() && (function.empty() || target.getSymName() == function))
        if (mlir::failed(freeze(target)))
          return signalPassFailure();
  }

  mlir::LogicalResult freeze(mlir::func::FuncOp target) {
    mlir::Builder builder(&getContext());
    llvm::SmallVector<mlir::Attribute> bindings;
    if (auto old = target->getAttrOfType<mlir::ArrayAttr>("tenferro.bindings"))
      llvm::append_range(bindings, old);
    size_t before = bindings.size();

    llvm::SmallVector<mlir::Operation *> captured;
    for (mlir::Operation &op : target.getBody().front()) {
      mlir::Attribute value;
      if (!mlir::matchPattern(&op, mlir::m_Constant(&value)))
        continue;
      auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
      if (elements && !elements.isSplat() && elements.getNumElements() > 1)
        captured.push_back(&op);
    }
    if (captured.empty())
      return mlir::success();
    if (auto uses = mlir::SymbolTable::getSymbolUses(target, getOperation()); uses && !uses->empty())
      return target.emitError("freezing changes the signature of '")
             << target.getSymName() << "', but it is called: inline it first";

    // All arguments at once: one by one would be quadratic.
    unsigned first = target.getNumArguments();
    llvm::SmallVector<unsigned> positions(captured.size(), first);
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::DictionaryAttr> attributes;
    llvm::SmallVector<mlir::Location> locations;
    for (mlir::Operation *op : captured) {
      mlir::Attribute value;
      mlir::matchPattern(op, mlir::m_Constant(&value));
      attributes.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr("tenferro.binding", builder.getI64IntegerAttr(static_cast<int64_t>(bindings.size())))));
      types.push_back(op->getResult(0).getType());
      locations.push_back(op->getLoc());
      bindings.push_back(value);
    }
    if (mlir::failed(target.insertArguments(positions, types, attributes, locations)))
      return mlir::failure();
    for (auto [i, op] : llvm::enumerate(captured)) {
      op->getResult(0).replaceAllUsesWith(target.getArgument(first + i));
      op->erase();
    }
    target->setAttr("tenferro.bindings", builder.getArrayAttr(bindings));
    frozen += bindings.size() - before;
    return mlir::success();
  }
};

} // namespace
} // namespace tenferro::compiler
