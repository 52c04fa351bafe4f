// From a recorded graph to a function over the dialect, derivatives applied.
#include "lib/Import/ImportGraph.h"

#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/Structure.h"
#include "lib/Core/WalkOrder.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/Import/GraphCheck.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tenferro::compiler {

/// Copies the body of `callee` to the insertion point, called from `caller`; its results are appended.
static void inlineBody(OpBuilder &builder, Location caller, func::FuncOp callee, ValueRange arguments,
                       std::vector<Value> &results) {
  IRMapping map;
  Block &body = callee.getBody().front();
  map.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, map);
    copy->setLoc(CallSiteLoc::get(op.getLoc(), caller));
  }
  for (Value returned : body.getTerminator()->getOperands())
    results.push_back(map.lookup(returned));
}

LogicalResult Importer::importCall(OpBuilder &builder, Location loc, const core::GraphOp &op,
                                   std::vector<Value> &values) {
  const core::DerivedFunction &callee = *op.callee;
  if (!byAddress_.lookup(&callee)) {
    std::string key = core::structureKey(callee.graph, callee.transform);
    auto equal = callees_.find(key);
    if (equal == callees_.end()) {
      std::string name = "callee" + std::to_string(nextCallee_++);
      FailureOr<ImportedProgram> program = import(callee.graph, callee.transform, name);
      if (failed(program))
        return failure();
      equal = callees_.try_emplace(key, *program).first;
    }
    byAddress_[&callee] = &equal->second;
  }
  const ImportedProgram &program = *byAddress_[&callee];
  if (program.active != callee.active)
    return mlir::emitError(loc, "expects a call whose activity flags are those of its callee");
  SmallVector<Value> arguments;
  for (uint32_t operand : op.operands)
    arguments.push_back(values[operand]);
  inlineBody(builder, loc, program.function, arguments, values);
  return success();
}

FailureOr<func::FuncOp> Importer::importTrace(const core::Graph &graph, ArrayRef<uint32_t> origins, StringRef name,
                                              ArrayRef<uint32_t> wrt, SmallVectorImpl<Value> &wrtValues) {
  MLIRContext *context = module_.getContext();
  auto types = valueTypes(graph);
  SmallVector<Type> inputs, outputs;
  for (const core::ValueType &input : graph.inputs)
    inputs.push_back(ir::typeToIr(context, input));
  for (uint32_t output : graph.outputs)
    outputs.push_back(ir::typeToIr(context, *types[output]));

  Location start = traceLocation(context, 0);
  OpBuilder builder = OpBuilder::atBlockEnd(module_.getBody());
  auto function = func::FuncOp::create(builder, start, name, builder.getFunctionType(inputs, outputs));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);

  llvm::DenseMap<uint32_t, uint32_t> kept;
  for (core::SavedValue saved : graph.saved)
    kept.try_emplace(saved.value, saved.input);
  std::vector<Value> values(body->args_begin(), body->args_end());
  auto addResidual = [&](uint32_t number, Location loc) {
    if (auto saved = kept.find(number); saved != kept.end())
      values[number] = ir::ResidualOp::create(builder, loc, values[number], body->getArgument(saved->second));
  };
  for (uint32_t k = 0; k < graph.ops.size(); ++k) {
    const core::GraphOp &op = graph.ops[k];
    Location loc = traceLocation(context, origins.empty() ? k : origins[k]);
    size_t first = values.size();
    if (op.custom) {
      if (failed(importCustomCall(builder, loc, op, values)))
        return failure();
    } else if (op.callee) {
      if (failed(importCall(builder, loc, op, values)))
        return failure();
    } else {
      SmallVector<Value> operands;
      for (uint32_t operand : op.operands)
        operands.push_back(values[operand]);
      values.push_back(ir::createOp(builder, loc, op.kind, operands, op.attributes, op.results[0])->getResult(0));
    }
    for (size_t number = first; number < values.size(); ++number)
      addResidual(static_cast<uint32_t>(number), loc);
  }
  SmallVector<Value> returned;
  for (uint32_t output : graph.outputs)
    returned.push_back(values[output]);
  func::ReturnOp::create(builder, start, returned);
  for (uint32_t value : wrt)
    wrtValues.push_back(values[value]);
  return function;
}

FailureOr<ImportedProgram> Importer::import(const core::Graph &graph, const core::Transform &transform,
                                            StringRef name) {
  llvm::SaveAndRestore inside(depth_, depth_ + 1);
  if (core::callsForward(graph)) {
    core::OrderedGraph flat = core::inWalkOrder(graph, transform);
    return importFlat(flat.graph, flat.origins, flat.transform, name);
  }
  return importFlat(graph, {}, transform, name);
}

FailureOr<ImportedProgram> Importer::importFlat(const core::Graph &graph, ArrayRef<uint32_t> origins,
                                                const core::Transform &transform, StringRef name) {
  SmallVector<Value> wrt;
  FailureOr<func::FuncOp> trace = importTrace(graph, origins, name, transform.wrt, wrt);
  if (failed(trace))
    return failure();
  ImportedProgram program;
  program.trace = *trace;
  program.wrt = wrt;
  FailureOr<Derived> derived = failure();
  switch (transform.kind) {
  case core::TransformKind::Forward:
    program.function = *trace;
    program.active.assign(graph.outputs.size(), true);
    return program;
  case core::TransformKind::Vjp: {
    VjpOptions options;
    options.seedOnes = transform.seedOnes;
    options.nameValues = isRead_;
    options.consume = !isRead_ && depth_ == 1;
    derived = buildVjp(*trace, ArrayRef<Value>(wrt), options);
    break;
  }
  case core::TransformKind::Jvp: {
    JvpOptions options;
    options.nameValues = isRead_;
    options.consume = !isRead_ && depth_ == 1;
    derived = buildJvp(*trace, ArrayRef<Value>(wrt), options);
    break;
  }
  }
  if (failed(derived))
    return failure();
  if (!isRead_ && depth_ == 1)
    program.trace = {};
  program.function = derived->function;
  program.active.assign(derived->active.begin(), derived->active.end());
  return program;
}

} // namespace tenferro::compiler
