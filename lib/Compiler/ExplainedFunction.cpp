// A function as MLIR with comments: the term behind each operation of a derivative, the source above.
#include "lib/Compiler/Explain.h"

#include "lib/Transforms/Origin.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace mlir;

namespace tenferro::compiler {

namespace {

/// Comments stand in one column; a longer operation pushes its own out.
constexpr size_t kMostColumn = 100;

struct Line {
  std::string code, comment;
  bool heading = false;
};

std::string printedOp(Operation *op, AsmState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, state);
  return text;
}

/// What an operation stands for, all of it.
std::string commentOf(Operation *op, const Annotations &annotations) {
  std::string comment;
  for (const Origin &origin : originsOf(op->getLoc())) {
    std::string part = origin.term;
    std::string place = annotations.place ? annotations.place(origin.place) : std::string();
    if (!place.empty())
      part += (part.empty() ? "" : ", ") + place;
    if (!part.empty())
      comment += (comment.empty() ? "" : "; also ") + part;
  }
  return comment;
}

void appendLines(std::vector<Line> &lines, StringRef code, std::string comment) {
  code.consume_front("func."); // the default inside a function
  SmallVector<StringRef> parts;
  code.split(parts, '\n');
  for (StringRef part : parts)
    lines.push_back({"  " + part.str(), std::exchange(comment, {})});
}

/// "func.func @f(", the arguments, and "-> type {".
void appendHeader(std::vector<Line> &lines, func::FuncOp function, AsmState &state, const Annotations &annotations) {
  lines.push_back({"func.func @" + function.getSymName().str() + (function.getNumArguments() ? "(" : "()"), {}});
  for (BlockArgument argument : function.getArguments()) {
    std::string code;
    llvm::raw_string_ostream os(code);
    argument.printAsOperand(os, state);
    bool isLast = argument.getArgNumber() + 1 == function.getNumArguments();
    os << ": " << argument.getType() << (isLast ? ")" : ",");
    lines.push_back({"    " + code, annotations.argument(argument)});
  }
  std::string results;
  llvm::raw_string_ostream os(results);
  llvm::interleaveComma(function.getResultTypes(), os);
  lines.push_back({"    -> " + (function.getNumResults() == 1 ? results : "(" + results + ")") + " {", {}});
}

std::string joined(const std::vector<Line> &lines) {
  size_t column = 0;
  for (const Line &line : lines)
    if (!line.comment.empty() && line.code.size() <= kMostColumn)
      column = std::max(column, line.code.size());
  std::string text;
  for (const Line &line : lines) {
    text += line.code;
    if (!line.comment.empty()) {
      text.append(line.code.size() < column ? column - line.code.size() : 0, ' ');
      text += "  // ";
      for (char c : line.comment) // a name of the user's may have any
        text += c == '\n' || c == '\r' ? ' ' : c;
    }
    text += '\n';
  }
  return text;
}

} // namespace

std::string explainFunction(func::FuncOp function, AsmState &state, const Annotations &annotations) {
  std::vector<Line> lines;
  if (annotations.argument) {
    appendHeader(lines, function, state, annotations);
  } else {
    std::string whole = printedOp(function, state);
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      return whole + "\n";
    lines.push_back({StringRef(whole).take_until([](char c) { return c == '\n'; }).str(), {}});
  }
  std::string heading;
  for (Operation &op : function.getBody().front()) {
    if (annotations.heading && !op.hasTrait<OpTrait::IsTerminator>()) {
      std::string next = annotations.heading(originsOf(op.getLoc(), 1).front().place);
      if (next != heading && !next.empty())
        lines.push_back({"  // " + next, {}});
      heading = next;
    }
    appendLines(lines, printedOp(&op, state), op.hasTrait<OpTrait::IsTerminator>() ? "" : commentOf(&op, annotations));
  }
  lines.push_back({"}", {}});
  return joined(lines);
}

std::string explainModule(ModuleOp module) {
  AsmState state(module);
  auto place = [](Location location) -> std::string {
    if (auto file = dyn_cast<FileLineColLoc>(location))
      return file.getFilename().str() + ":" + std::to_string(file.getLine());
    if (auto named = dyn_cast<NameLoc>(location))
      return named.getName().str();
    return {};
  };
  std::string text;
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      text += explainFunction(function, state, {place, nullptr, nullptr});
    else
      text += printedOp(&op, state) + "\n";
  }
  return text;
}

} // namespace tenferro::compiler
