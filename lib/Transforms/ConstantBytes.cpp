// Constants as the run time reads them.
#include "lib/Transforms/ConstantBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace tenferro::compiler {

void appendColumnMajor(DenseElementsAttr value, std::vector<uint8_t> &bytes) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned size = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  auto append = [&](const llvm::APInt &bits) {
    uint64_t word = bits.getZExtValue();
    for (unsigned i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  };
  SmallVector<llvm::APInt> elements;
  auto collect = [&](auto range) {
    for (auto element : range)
      elements.push_back(element);
  };
  if (isa<FloatType>(type.getElementType())) {
    if (value.isSplat())
      elements.push_back(value.getSplatValue<llvm::APFloat>().bitcastToAPInt());
    else
      for (const llvm::APFloat &element : value.getValues<llvm::APFloat>())
        elements.push_back(element.bitcastToAPInt());
  } else if (value.isSplat()) {
    elements.push_back(value.getSplatValue<llvm::APInt>());
  } else {
    collect(value.getValues<llvm::APInt>());
  }
  if (value.isSplat()) {
    append(elements.front());
    return;
  }
  // Walks positions leftmost fastest; `at` is the position in the attribute's order.
  ArrayRef<int64_t> shape = type.getShape();
  size_t rank = shape.size();
  SmallVector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t d = rank; d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  int64_t at = 0;
  for (size_t n = 0; n < elements.size(); ++n) {
    append(elements[static_cast<size_t>(at)]);
    for (size_t d = 0; d < rank; ++d) {
      at += strides[d];
      if (++index[d] < shape[d])
        break;
      at -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

} // namespace tenferro::compiler
