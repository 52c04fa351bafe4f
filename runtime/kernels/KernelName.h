// How kernels are named: one spelling for the compiler, the table and the eager path.
#ifndef TENFERRO_RUNTIME_KERNELS_KERNELNAME_H
#define TENFERRO_RUNTIME_KERNELS_KERNELNAME_H

#include "lib/Core/Graph.h"

#include <span>
#include <string>

namespace tenferro::runtime {

/// The precompiled kernel of an operation on operands of these dtypes: "<mnemonic>.<dtype of operand 0>", except
///  * compare:  "compare.<eq|ne|lt|le|gt|ge>.<dtype>"
///  * convert, cast: "cast.<from>.<to>" (one kernel serves both)
///  * select:   "select.<dtype of the branches>"
///  * one_hot:  "one_hot.<index dtype>.<result dtype>", inputs: the indices, then the coordinate (Access::Index)
///  * iota:     "iota.<result dtype>", input: the coordinate (Access::Index)
///  * a reduction: "sum.<dtype>", and so prod, max, min, any, all
///  * dot_general: "matmul.<dtype>" (tiles), and "dot.<dtype>" for its reduction-tree form
/// Empty for operations that need no kernel (views, constants, what moves elements by copying or by index, running sums and positions). Defined in lib/Core-only terms.
std::string kernelName(core::OpKind kind, std::span<const core::ValueType> operands, const core::Attributes &attributes,
                       DType result);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_KERNELS_KERNELNAME_H
