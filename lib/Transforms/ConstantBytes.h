// Constants as the run time reads them.
#ifndef TENFERRO_TRANSFORMS_CONSTANTBYTES_H
#define TENFERRO_TRANSFORMS_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>
#include <vector>

namespace tenferro::compiler {

/// Appends the elements of a constant, leftmost index fastest (attributes keep the rightmost fastest), bools as bytes; of
/// a splat one element.
void appendColumnMajor(mlir::DenseElementsAttr value, std::vector<uint8_t> &bytes);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_CONSTANTBYTES_H
