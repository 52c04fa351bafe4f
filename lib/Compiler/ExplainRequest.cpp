// The explanations of a recording: its derivative program, and what the tape keeps for it.
#include "lib/Compiler/Explain.h"
#include "lib/Compiler/OpCost.h"
#include "lib/Compiler/Pipelines.h"

#include "dialects/tenferro/Extension.h"
#include "dialects/tenferro/Interfaces.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/Import/ImportGraph.h"
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/FusionPlan.h"
#include "lib/Transforms/OpFacts.h"
#include "lib/Transforms/Origin.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlir;

namespace tenferro::compiler {

namespace {

/// "1,234,567".
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string counted(int64_t number, StringRef unit) {
  return grouped(number) + " " + unit.str() + (number == 1 ? "" : "s");
}

/// "f64[1500, 32]".
std::string typeText(const core::ValueType &type) { return std::string(name(type.dtype)) + type.shape.str(); }

class Explainer {
public:
  Explainer(MLIRContext *context, const ExplainRequest &request)
      : context_(context), request_(request), module_(ModuleOp::create(UnknownLoc::get(context))) {}

  FailureOr<std::string> run() {
    FailureOr<ImportedProgram> program = Importer(*module_).import(*request_.graph, request_.transform, "trace");
    if (failed(program))
      return failure();
    // Bodies go in while they are there.
    lowerResiduals(program->function);
    inlineCustomCalls(program->function);
    for (func::FuncOp function : llvm::make_early_inc_range(module_->getOps<func::FuncOp>()))
      if (function != program->function && function != program->trace)
        function.erase();
    trace_ = program->trace == program->function ? func::FuncOp() : program->trace;
    derivative_ = program->function;
    dropRules();
    derivative_.setName(request_.transform.kind == core::TransformKind::Jvp ? "tangent" : "gradient");
    OwningOpRef<ModuleOp> alone = ModuleOp::create(UnknownLoc::get(context_));
    derivative_->moveBefore(alone->getBody(), alone->getBody()->end());
    PassManager passes(context_, ModuleOp::getOperationName());
    buildCleanupPipeline(passes);
    if (failed(passes.run(*alone)))
      return failure();
    nameArguments();
    std::string text = request_.what == Explanation::Gradient ? gradientText(*program) : residualsText();
    derivative_ = {};
    return text;
  }

private:
  /// Of a program that nobody derives from any more the calls of kernels need their rules no longer, and leave them behind.
  void dropRules() {
    derivative_.walk([](ir::CustomCallOp call) {
      call.removeJvpAttr();
      call.removeVjpAttr();
      call.removeTransposeAttr();
      call.setLinear({});
    });
  }

  /// Arguments are called what the user knows them as.
  void nameArguments() {
    for (BlockArgument argument : derivative_.getArguments()) {
      size_t i = argument.getArgNumber();
      std::string name = i < request_.inputs.size()          ? request_.inputs[i].name
                         : i < request_.graph->inputs.size() ? "input"
                                                             : "seed";
      argument.setLoc(NameLoc::get(StringAttr::get(context_, name), argument.getLoc()));
    }
  }

  const SourceLine *lineOf(Location place) const {
    uint32_t number = traceNumber(place);
    return number < request_.lines.size() ? &request_.lines[number] : nullptr;
  }

  //===- The derivative -------------------------------------------------------------------------------------------===//

  /// "7 operations in 2 kernels, 400 flops".
  std::string summary() {
    Block &body = derivative_.getBody().front();
    int64_t operations = 0, launches = 0;
    OpCost cost;
    DenseSet<Operation *> fused;
    for (const FusionGroup &group : planFusion(body)) {
      ++launches;
      fused.insert(group.members.begin(), group.members.end());
    }
    for (Operation &op : body.without_terminator()) {
      cost += costOf(&op);
      operations += !op.hasTrait<OpTrait::ConstantLike>();
      launches += !fused.contains(&op) && fusionRole(&op) == FusionRole::Alone;
    }
    return "// " + counted(operations, "operation") + " in " + counted(launches, "kernel") + ", " +
           counted(cost.flops, "flop") + "\n";
  }

  /// One line per result: by what.
  std::string resultsText(const ImportedProgram &program) {
    if (request_.transform.kind != core::TransformKind::Vjp)
      return {};
    std::string text;
    int64_t result = 0;
    for (auto [i, value] : llvm::enumerate(request_.transform.wrt)) {
      std::string by = value < request_.inputs.size() ? request_.inputs[value].note : "value " + std::to_string(value);
      text += program.active[i] ? "// result " + std::to_string(result++) + ": the gradient by " + by + "\n"
                                : "// no gradient by " + by + ": the output does not depend on it\n";
    }
    return text;
  }

  std::string gradientText(const ImportedProgram &program) {
    std::string text = summary() + resultsText(program);
    // What nobody reads is left out; the rest remembers its number.
    BitVector unused(derivative_.getNumArguments());
    SmallVector<size_t> numbers;
    for (BlockArgument argument : derivative_.getArguments()) {
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
      else
        numbers.push_back(argument.getArgNumber());
    }
    if (failed(derivative_.eraseArguments(unused)))
      return text;
    AsmState state(derivative_, OpPrintingFlags().printNameLocAsPrefix());
    auto heading = [&](Location place) -> std::string {
      const SourceLine *line = lineOf(place);
      return line ? line->place + (line->text.empty() ? "" : ": " + line->text) : std::string();
    };
    auto note = [&](BlockArgument argument) -> std::string {
      size_t i = numbers[argument.getArgNumber()];
      return i < request_.inputs.size() ? request_.inputs[i].note : std::string("the cotangent of the result");
    };
    return text + explainFunction(derivative_, state, {nullptr, heading, note});
  }

  //===- What is kept ---------------------------------------------------------------------------------------------===//

  static bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

  /// The operations that compute `value` again from arguments and from other kept values, in program order.
  SmallVector<Operation *> recomputation(Value value, const DenseSet<Value> &kept) {
    DenseSet<Operation *> needed;
    SmallVector<Value> pending{value};
    while (!pending.empty()) {
      Value next = pending.pop_back_val();
      Operation *op = next.getDefiningOp();
      if (!op || (next != value && kept.contains(next)) || !needed.insert(op).second)
        continue;
      llvm::append_range(pending, op->getOperands());
    }
    SmallVector<Operation *> ordered;
    for (Operation *op : needed)
      if (schemaOf(op) || isa<ir::CustomCallOp>(op))
        ordered.push_back(op);
    llvm::sort(ordered, isBefore);
    return ordered;
  }

  std::string recomputationText(Value value, const DenseSet<Value> &kept) {
    OpCost cost;
    llvm::SetVector<StringRef> names;
    std::vector<std::string> calls; // what they cost is nobody's to say
    for (Operation *op : recomputation(value, kept)) {
      if (isa<ir::CustomCallOp>(op)) {
        calls.push_back("a call of " + explainedName(op));
        continue;
      }
      cost += costOf(op);
      names.insert(op->getName().stripDialect());
    }
    std::string text = llvm::join(calls, " and ");
    if (names.empty() && !calls.empty())
      return text;
    return (calls.empty() ? "" : text + ", ") + counted(cost.flops, "flop") + " and " + grouped(cost.bytes) +
           " bytes of traffic (" + llvm::join(names, ", ") + ")";
  }

  /// "mul (tanh: tangent)"; the operation's name alone where it is one of the program itself.
  static std::string termOf(Operation *op) {
    std::string name = explainedName(op), origin = describeOrigin(op);
    return origin == name ? name : name + " (" + origin + ")";
  }

  /// The derivative's operations that read an argument, as terms.
  std::string usersText(BlockArgument argument) {
    llvm::SetVector<StringRef> seen;
    std::vector<std::string> terms;
    SmallVector<Operation *> users(argument.getUsers());
    llvm::sort(users, isBefore);
    for (Operation *op : users)
      terms.push_back(termOf(op));
    std::string text;
    for (const std::string &term : terms)
      if (seen.insert(term))
        text += (text.empty() ? "" : ", ") + term;
    return text.empty() ? "nothing that is left after simplification" : text;
  }

  std::string residualsText() {
    // Results of operations that are kept, by the argument that holds them.
    DenseSet<Value> kept;
    DenseMap<unsigned, Value> computed;
    for (Operation &op : trace_.getBody().front())
      if (auto residual = dyn_cast<ir::ResidualOpInterface>(op)) {
        auto holder = dyn_cast<BlockArgument>(residual.getKept());
        if (!holder)
          continue;
        kept.insert(residual.getComputed());
        kept.insert(op.getResult(0));
        computed[holder.getArgNumber()] = residual.getComputed();
      }
    int64_t total = 0;
    std::string text;
    for (BlockArgument argument : derivative_.getArguments()) {
      unsigned i = argument.getArgNumber();
      Value value = computed.lookup(i);
      if (!value)
        continue;
      int64_t bytes = bytesOf(argument);
      total += bytes;
      const SourceLine *line = lineOf(originsOf(value.getLoc(), 1).front().place);
      text += "\n" + explainedName(value.getDefiningOp()) + " " + typeText(valueTypeOf(value)) + ", " +
              counted(bytes, "byte");
      if (line && !line->place.empty())
        text += ", " + line->place + (line->text.empty() ? "" : ": " + line->text);
      text += "\n  needed by     " + usersText(argument) + "\n  to recompute  " + recomputationText(value, kept) + "\n";
    }
    std::string bound;
    for (BlockArgument argument : derivative_.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (!computed.contains(i) && i < request_.inputs.size() && !argument.use_empty())
        bound += "\n" + request_.inputs[i].note + "\n  needed by     " + usersText(argument) + "\n";
    }
    std::string head = computed.empty()
                           ? "nothing is kept beside what the variables and constants hold anyway\n"
                           : counted(static_cast<int64_t>(computed.size()), "value") + " kept, " +
                                 counted(total, "byte") + "; flops are counted in the expanded operations\n";
    return head + text + (bound.empty() ? "" : "\nread in place, at no cost:\n" + bound);
  }

  MLIRContext *context_;
  const ExplainRequest &request_;
  OwningOpRef<ModuleOp> module_;
  func::FuncOp trace_, derivative_;
};

} // namespace

FailureOr<std::string> explainRequest(MLIRContext *context, const ExplainRequest &request) {
  return Explainer(context, request).run();
}

} // namespace tenferro::compiler
