// The one spelling of kernel names, from the op's schema.
#include "runtime/kernels/KernelName.h"

namespace tenferro::runtime {

std::string kernelName(core::OpKind kind, std::span<const core::ValueType> operands, const core::Attributes &attributes,
                       DType result) {
  const core::OpSchema &op = core::schema(kind);
  auto dtype = [&](size_t i) { return std::string(name(operands[i].dtype)); };
  auto dotted = [](std::string_view mnemonic, const std::string &rest) { return std::string(mnemonic) + "." + rest; };
  static constexpr std::string_view directions[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (op.mnemonic == "compare")
    return "compare." + std::string(directions[attributes[0]]) + "." + dtype(0);
  if (op.mnemonic == "convert" || op.mnemonic == "cast")
    return "cast." + dtype(0) + "." + std::string(name(result));
  if (op.mnemonic == "select")
    return dotted("select", dtype(1));
  if (op.mnemonic == "one_hot")
    return "one_hot." + dtype(0) + "." + std::string(name(result));
  if (op.mnemonic == "iota")
    return dotted("iota", std::string(name(result)));
  if (op.mnemonic == "dot_general")
    return dotted("matmul", dtype(0));
  if (op.family == "Reduction" && op.attributes[0].name == "axes")
    return dotted(op.mnemonic, dtype(0));
  return op.elementwise ? dotted(op.mnemonic, dtype(0)) : std::string();
}

} // namespace tenferro::runtime
