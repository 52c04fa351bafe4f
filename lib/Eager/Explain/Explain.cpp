// From handles to the texts of the compiler: what the user calls each input and line.
#include "tenferro/Explain.h"

#include "lib/Eager/Differentiate.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Explain/Describe.h"
#include "lib/Eager/Explain/SourceText.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/Surface/Print.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/Trace/Staging.h"

namespace tenferro {

namespace eager {
namespace {

using detail::EagerAccess;
using detail::TensorAccess;

[[noreturn]] void fail(ErrorKind kind, std::string_view op, std::string_view argument, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.op = op;
  failure.argument = argument;
  failure.message = std::move(message);
  raise(std::move(failure));
}

/// The record behind a handle, a variable's version of now; with a reference.
RecordRef traced(const EagerTensor &tensor, std::string_view op, std::string_view argument) {
  Record *record = EagerAccess::record(tensor);
  if (!record)
    fail(ErrorKind::InvalidArgument, op, argument, "expects a tensor, but it is empty (default-made or moved-from)");
  if (record->kind == RecordKind::Staged)
    raiseNoValue(op, *record);
  if (record->kind == RecordKind::Variable)
    return RecordRef(static_cast<Variable *>(record)->current());
  retain(record);
  return RecordRef(record);
}

/// " at readme.cpp:8: auto x = ..." or nothing.
std::string atLine(const compiler::SourceLine &line, const char *separator) {
  if (line.place.empty())
    return {};
  return separator + line.place + (line.text.empty() ? "" : ": " + line.text);
}

class Explainer {
public:
  Explainer(std::string_view op, const EagerTensor &output, const EagerTensor *wrt)
      : op_(op), output_(traced(output, op, "output")), state_(*output_.get()->state) {
    DerivativeRequest request;
    request.output = output_.get();
    request.seedOnes = output_.get()->type.shape.elementCount() == 1;
    request.allVariables = !wrt;
    Record *selected[1] = {};
    RecordRef wrtRecord;
    if (wrt) {
      wrtRecord = traced(*wrt, op, "wrt");
      selected[0] = EagerAccess::record(*wrt);
      if (selected[0]->state != &state_) {
        Failure failure;
        failure.kind = ErrorKind::ContextMismatch;
        failure.op = op;
        failure.message = "expects tensors of one runtime, but got runtimes " + std::to_string(state_.id) + " and " +
                          std::to_string(selected[0]->state->id);
        failure.ids = {state_.id, selected[0]->state->id};
        raise(std::move(failure));
      }
      request.wrt = selected;
      request.cutAtWrt = selected[0]->kind != RecordKind::Variable;
    }
    walk_.run(state_, request);
    if (wrt)
      refuseHidden(walk_, selected, op);
    bool none = walk_.wrt().empty() || !isDifferentiable(output_.get()->type.dtype);
    for (Record *record : walk_.wrt())
      none |= !isDifferentiable(record->type.dtype);
    if (none)
      fail(ErrorKind::InactiveGrad, op, wrt ? "wrt" : "output",
           wrt ? "the gradient is inactive: the output does not depend on it through recorded differentiable operations"
               : "expects a result that depends on a variable through recorded differentiable operations, but there is "
                 "none");
  }

  std::string text(compiler::Explanation what) {
    core::Graph graph = walk_.graph(true);
    compiler::ExplainRequest request;
    request.what = what;
    request.graph = &graph;
    request.transform = walk_.transform(true);
    for (uint32_t i = 0; i < walk_.leadingOperations(); ++i)
      request.lines.emplace_back(); // repeats a number
    for (const Operation *operation : walk_.operations())
      request.lines.push_back(source_.line(operation->where));
    for (size_t i = 0; i < walk_.leaves().size(); ++i)
      request.inputs.push_back(leafNote(i));
    for (size_t i = 0; i < walk_.savedCount(); ++i) {
      const Record *record = walk_.saved(i);
      std::string word(wordFor(*record));
      request.inputs.push_back({"kept_" + word, word + " " + typeText(walk_.savedType(i)) + ", kept from" +
                                                    atLine(source_.line(record->where), " ")});
    }
    return title(what) + explainProgram(request);
  }

private:
  std::string title(compiler::Explanation what) {
    const Record &output = *output_.get();
    std::string of =
        std::string(wordFor(output)) + " " + typeText(output.type) + atLine(source_.line(output.where), ", ");
    return what == compiler::Explanation::Gradient ? "// the gradient of " + of + "\n"
                                                   : "kept for the gradient of " + of + "\n";
  }

  compiler::InputNote leafNote(size_t i) {
    const Record &leaf = *walk_.leaves()[i];
    runtime::TensorView view = walk_.leafView(i);
    std::string place = atLine(source_.line(leaf.where), ", ");
    if (leaf.kind == RecordKind::Constant && view.shape.empty()) {
      std::string number;
      appendElement(number, view.dtype, static_cast<const char *>(view.data));
      return {"number", "the number " + number + " as " + std::string(name(view.dtype)) + place};
    }
    std::string word(wordFor(leaf)), declared = leaf.isLeaf() ? source_.declaredName(leaf.where) : std::string();
    return {declared.empty() ? word : declared, word + " " + typeText(leaf.type) + place};
  }

  const std::string_view op_;
  RecordRef output_;
  RuntimeState &state_;
  Walk walk_;
  SourceText source_;
};

} // namespace
} // namespace eager

std::string explainGradient(const EagerTensor &output, const EagerTensor &wrt, std::source_location where) {
  return eager::located(
      where, [&] { return eager::Explainer("explainGradient", output, &wrt).text(compiler::Explanation::Gradient); });
}

std::string explainGradient(const EagerTensor &output, std::source_location where) {
  return eager::located(where, [&] {
    return eager::Explainer("explainGradient", output, nullptr).text(compiler::Explanation::Gradient);
  });
}

std::string explainResiduals(const EagerTensor &output, std::source_location where) {
  return eager::located(where, [&] {
    return eager::Explainer("explainResiduals", output, nullptr).text(compiler::Explanation::Residuals);
  });
}

} // namespace tenferro
