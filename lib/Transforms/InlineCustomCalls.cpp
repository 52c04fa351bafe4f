// tenferro-inline-custom-calls: bodies in place of calls whose derivative rules have done their work.
#include "dialects/tenferro/Extension.h"
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_INLINECUSTOMCALLSPASS
#include "lib/Transforms/Passes.h.inc"

/// Replaces a call by the body it names. What the body calls in turn stands before `next` then.
static void inlineCall(OpBuilder &builder, ir::CustomCallOp call) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getPrimalAttr());
  Block &body = function.getBody().front();
  IRMapping map;
  map.map(body.getArguments(), call.getValues().take_front(body.getNumArguments()));
  builder.setInsertionPoint(call);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, map);
    copy->setLoc(CallSiteLoc::get(op.getLoc(), call.getLoc()));
  }
  for (auto [result, returned] : llvm::zip_equal(call.getOutputs(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookup(returned));
  call.erase();
}

int64_t inlineCustomCalls(func::FuncOp function) {
  int64_t count = 0;
  OpBuilder builder(function.getContext());
  for (Block &block : function.getBody()) {
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      auto call = dyn_cast<ir::CustomCallOp>(op);
      if (!call) {
        op = op->getNextNode();
        continue;
      }
      if (!call.getPrimal()) {
        call.removeJvpAttr();
        call.removeVjpAttr();
        call.removeTransposeAttr();
        call.setLinear({});
        op = op->getNextNode();
        continue;
      }
      Operation *previous = op->getPrevNode();
      inlineCall(builder, call);
      ++count;
      op = previous ? previous->getNextNode() : &block.front(); // the body may call again
    }
  }
  return count;
}

LogicalResult checkBodiesEnd(ModuleOp module) {
  llvm::MapVector<Operation *, SmallVector<ir::CustomCallOp>> callers; // of a body
  DenseMap<Operation *, unsigned> open;                                // calls in a function whose bodies may go on
  SmallVector<ir::CustomCallOp> calls;
  module.walk([&](ir::CustomCallOp call) {
    if (!call.getPrimal())
      return;
    calls.push_back(call);
    callers[SymbolTable::lookupNearestSymbolFrom(call, call.getPrimalAttr())].push_back(call);
    ++open[call->getParentOfType<func::FuncOp>()];
  });
  SmallVector<Operation *> finished;
  for (auto &entry : callers)
    if (open.lookup(entry.first) == 0)
      finished.push_back(entry.first);
  llvm::DenseSet<Operation *> done;
  while (!finished.empty()) {
    Operation *body = finished.pop_back_val();
    done.insert(body);
    for (ir::CustomCallOp call : callers.lookup(body))
      if (Operation *caller = call->getParentOfType<func::FuncOp>(); --open[caller] == 0)
        finished.push_back(caller);
  }
  for (ir::CustomCallOp call : calls)
    if (!done.contains(SymbolTable::lookupNearestSymbolFrom(call, call.getPrimalAttr())))
      return call.emitOpError("expects a 'primal' that does not call itself, but ")
             << call.getPrimalAttr() << " does, directly or through others";
  return success();
}

namespace {

struct InlineCustomCallsPass : impl::InlineCustomCallsPassBase<InlineCustomCallsPass> {
  void runOnOperation() override {
    llvm::SetVector<StringAttr> bodies;
    getOperation().walk([&](ir::CustomCallOp call) {
      for (FlatSymbolRefAttr body :
           {call.getPrimalAttr(), call.getJvpAttr(), call.getVjpAttr(), call.getTransposeAttr()})
        if (body)
          bodies.insert(body.getAttr());
    });
    if (bodies.empty())
      return markAllAnalysesPreserved();
    if (failed(checkBodiesEnd(getOperation())))
      return signalPassFailure();
    // Functions nobody names from outside last, as they are what is inlined.
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && !(function.isPrivate() && bodies.contains(function.getSymNameAttr())))
        inlined += inlineCustomCalls(function);
    bool isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
        if (function.isPrivate() && bodies.contains(function.getSymNameAttr()) &&
            SymbolTable::symbolKnownUseEmpty(function, getOperation())) {
          function.erase();
          isChanged = true;
        }
    }
  }
};

} // namespace
} // namespace tenferro::compiler
