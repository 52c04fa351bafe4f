// Checks one operation after it ran, and a derivative after it ran op by op.
#include "lib/Eager/Execution/Numerics.h"

#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/Surface/Print.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "runtime/core/FloatEnvironment.h"
#include "runtime/launch/StridedCopy.h"
#include "tenferro/Explain.h"

#include <algorithm>

namespace tenferro {

NumericsGuard::NumericsGuard() { ++eager::threadState.checkNumerics; }
NumericsGuard::~NumericsGuard() { --eager::threadState.checkNumerics; }

namespace eager {

using detail::TensorAccess;
using runtime::NonFiniteElement;
using runtime::TensorView;

namespace {

bool isFinite(const Tensor *tensor) { return !runtime::findNonFinite(TensorAccess::view(*tensor)); }

/// The element of `view` at the last coordinates of `position`: what an element-wise operation read there.
std::string elementText(const TensorView &view, const IntList &position) {
  int64_t at = 0;
  for (size_t d = 0; d < view.shape.size(); ++d)
    at += position[d] * view.strides[d];
  std::string text;
  appendElement(text, view.dtype,
                static_cast<const char *>(view.data) + at * static_cast<int64_t>(byteSize(view.dtype)));
  return text;
}

[[noreturn]] void fail(std::string op, std::string message, const std::source_location &where) {
  Failure failure;
  failure.kind = ErrorKind::NonFinite;
  failure.phase = Phase::Execution;
  failure.op = std::move(op);
  failure.message = std::move(message);
  if (where.line() == 0)
    raise(std::move(failure)); // whoever was called adds the line
  raiseAt(std::move(failure), where);
}

/// Runs the operations of a walk again and raises for the first that makes a value which is not finite. Results of
/// derivatives are taken from what is kept; what depends on one that is not kept is not looked at.
class ForwardReplay {
public:
  ForwardReplay(const Walk &walk, const runtime::LaunchContext &context) : walk_(walk), graph_(walk.graph(true)) {
    for (size_t i = 0; i < walk.leaves().size(); ++i)
      values_.push_back(TensorAccess::withView(walk.leaves()[i]->value, walk.leafView(i)));
    for (size_t i = 0; i < walk.savedCount(); ++i) {
      TensorView view = walk.savedView(i);
      Tensor copy = TensorAccess::allocate(view.dtype, view.shape);
      runtime::copyToContiguous(view, TensorAccess::view(copy).data, context);
      values_.push_back(std::move(copy));
    }
  }

  void run(const runtime::LaunchContext &context) {
    runtime::FloatEnvironment environment;
    for (size_t k = 0; k < graph_.ops.size(); ++k) {
      const core::GraphOp &op = graph_.ops[k];
      if (op.callee || op.custom) {
        addKept(op.results.size());
        continue;
      }
      std::vector<const Tensor *> operands;
      for (uint32_t operand : op.operands)
        operands.push_back(&values_[operand]);
      bool known =
          std::none_of(operands.begin(), operands.end(), [](const Tensor *operand) { return operand->empty(); });
      Tensor result = known
                          ? execute(op.kind, operands, op.attributes, op.results[0].dtype, op.results[0].shape, context)
                          : Tensor();
      if (known && k >= walk_.leadingOperations())
        checkOperation(op.kind, operands, result, walk_.operations()[k - walk_.leadingOperations()]->where);
      values_.push_back(std::move(result));
    }
  }

private:
  void addKept(size_t results) {
    for (; results > 0; --results) {
      Tensor value;
      for (core::SavedValue saved : graph_.saved)
        if (saved.value == values_.size())
          value = values_[saved.input];
      values_.push_back(std::move(value));
    }
  }

  const Walk &walk_;
  const core::Graph graph_;
  std::vector<Tensor> values_;
};

} // namespace

namespace {

/// The element that is at fault in `result`, if the operands are not.
std::optional<NonFiniteElement> madeIn(std::span<const Tensor *const> operands, const Tensor &result) {
  std::optional<NonFiniteElement> found = runtime::findNonFinite(TensorAccess::view(result));
  if (found && !std::all_of(operands.begin(), operands.end(), isFinite))
    found.reset();
  return found;
}

std::string messageOf(const NonFiniteElement &found) {
  return "expects finite results of finite values, but element " + found.position.str() + " is " + name(found.what);
}

} // namespace

void checkKernel(std::string_view family, std::span<const Tensor *const> operands, const Tensor &result,
                 const std::source_location &where) {
  if (std::optional<NonFiniteElement> found = madeIn(operands, result))
    fail(std::string(family), messageOf(*found), where);
}

void checkOperation(core::OpKind kind, std::span<const Tensor *const> operands, const Tensor &result,
                    const std::source_location &where) {
  std::optional<NonFiniteElement> found = madeIn(operands, result);
  if (!found)
    return;
  const core::OpSchema &schema = core::schema(kind);
  std::string message = messageOf(*found);
  if (schema.elementwise)
    for (size_t i = 0; i < operands.size(); ++i)
      message += (i ? ", " : ", made of ") + elementText(TensorAccess::view(*operands[i]), found->position);
  fail(std::string(schema.mnemonic), std::move(message), where);
}

void checkDerivative(const Walk &walk, const Record &output, const runtime::Program &program,
                     const runtime::NonFiniteProbe &probe, const runtime::LaunchContext &context) {
  bool finite = output.value.empty() || isFinite(&output.value);
  for (size_t i = 0; finite && i < walk.savedCount(); ++i)
    finite = !runtime::findNonFinite(walk.savedView(i));
  if (!finite)
    ForwardReplay(walk, context).run(context);
  std::optional<MadeNonFinite> made = findMaker(probe, program);
  if (!made)
    return;
  const size_t number = made->opNumber - walk.leadingOperations();
  std::source_location where;
  std::string op = "backward";
  if (number < walk.operations().size()) {
    const Operation &operation = *walk.operations()[number];
    where = operation.where;
    op = nameOf(operation);
  }
  raiseNonFinite(std::move(op), *made, where);
}

std::optional<MadeNonFinite> findMaker(const runtime::NonFiniteProbe &probe, const runtime::Program &program) {
  std::optional<runtime::NonFiniteProbe::Source> source = probe.source();
  if (!source || !source->isLaunch || source->number >= program.origins.size())
    return std::nullopt;
  const runtime::LaunchOrigin &origin = program.origins[source->number];
  return MadeNonFinite{origin.opNumber, origin.innerNumber, origin.made, source->what};
}

void raiseNonFinite(std::string op, const MadeNonFinite &made, const std::source_location &where) {
  const bool isDerivative = made.made.find(':') != std::string::npos;
  fail(std::move(op),
       std::string(isDerivative ? "expects a finite derivative at finite values"
                                : "expects finite results of finite values") +
           ", but '" + made.made + "' made " + name(made.what),
       where);
}

} // namespace eager
} // namespace tenferro
