// The text that tells two kernels apart.
#include "lib/CodeGen/Program/KernelKey.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenferro::compiler {

SmallVector<int64_t> indexDimensions(linalg::GenericOp generic) {
  SmallVector<int64_t> dimensions;
  for (linalg::IndexOp index : generic.getBody()->getOps<linalg::IndexOp>())
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(index.getDim())))
      dimensions.push_back(static_cast<int64_t>(index.getDim()));
  llvm::sort(dimensions);
  return dimensions;
}

std::string kernelKey(linalg::GenericOp generic, ArrayRef<runtime::Access> access) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (Attribute reduction = generic->getAttr("tenferro.reduction"))
    os << "reduce " << reduction << "\n";
  for (runtime::Access a : access)
    os << static_cast<int>(a);
  os << "\n";
  llvm::DenseMap<Value, unsigned> numbers;
  auto define = [&](Value value) {
    os << numbers.try_emplace(value, numbers.size()).first->second << ":" << value.getType() << " ";
  };
  Block &body = *generic.getBody();
  for (BlockArgument argument : body.getArguments())
    define(argument);
  os << "| " << generic.getNumDpsInputs() << "\n";
  SmallVector<int64_t> dimensions = indexDimensions(generic);
  for (Operation &op : body) {
    for (Value result : op.getResults())
      define(result);
    os << op.getName().getStringRef();
    for (Value operand : op.getOperands())
      os << " " << numbers.lookup(operand);
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      os << " #" << std::distance(dimensions.begin(), llvm::find(dimensions, static_cast<int64_t>(index.getDim())));
    else if (DictionaryAttr attributes = op.getAttrDictionary(); !attributes.empty())
      os << " " << attributes;
    os << "\n";
  }
  return text;
}

} // namespace tenferro::compiler
