// Reading and writing NumPy's .npy files.
#ifndef TENFERRO_NPY_H
#define TENFERRO_NPY_H

#include "tenferro/Tensor.h"

#include <string>

namespace tenferro {

/// The tensor in a .npy file of format 1.0, 2.0 or 3.0 with little-endian elements: bool, u8, i8 to i64, f16, f32, f64,
/// complex. Row-major files become column-major tensors of the same shape; axes keep their meaning. Errors
/// (RuntimeError): Io for a file that is absent, unreadable, truncated, damaged or longer than its header says;
/// Unsupported for big-endian, object, string and other dtypes, and for a header of more than 1 MiB. No more memory is asked
/// for than the file has bytes, or twice that for a row-major one. Thread safety: any thread.
TENFERRO_EXPORT Tensor readNpy(const std::string &path);

/// Writes format 1.0, little-endian, `fortran_order` True; NumPy reads it back with the same shape. A file of that name
/// is replaced only when all is written. Errors: Io; InvalidArgument for an empty tensor; Unsupported for bf16, which
/// NumPy lacks. Thread safety: any thread, also to one file: that of one of them stays.
TENFERRO_EXPORT void writeNpy(const std::string &path, const Tensor &tensor);

} // namespace tenferro

#endif // TENFERRO_NPY_H
