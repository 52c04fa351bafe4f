// The element types of a tensor, as the user names them.
#ifndef TENFERRO_DTYPE_H
#define TENFERRO_DTYPE_H

#include "tenferro/Export.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace tenferro {

/// Element type of a tensor. The order is the order of promotion inside each class and is part of every structure
/// key: append, never reorder.
enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64, Complex64, Complex128 };

inline constexpr int kDTypeCount = 12;

/// Whether it is one of the above: a cast can make others, which no tensor has.
constexpr bool isDType(DType dtype) noexcept { return static_cast<int>(dtype) < kDTypeCount; }

/// The name used in messages, files and keys: "f64", "complex64", "bool"; "unknown" for a value that is none.
TENFERRO_EXPORT std::string_view name(DType dtype) noexcept;

/// The name, to a stream.
TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, DType dtype);

/// The dtype of that name; false if there is none.
TENFERRO_EXPORT bool parseDType(std::string_view text, DType &dtype) noexcept;

/// Bytes of one element in memory; 0 for a value that is none. A bool is one byte, 0 or 1.
TENFERRO_EXPORT size_t byteSize(DType dtype) noexcept;

TENFERRO_EXPORT bool isFloat(DType dtype) noexcept;   ///< f16, bf16, f32, f64
TENFERRO_EXPORT bool isComplex(DType dtype) noexcept; ///< complex64, complex128
TENFERRO_EXPORT bool isInteger(DType dtype) noexcept; ///< i8 to i64 and u8; bool is not an integer

/// Whether values of this dtype carry derivatives: floats and complex numbers.
inline bool isDifferentiable(DType dtype) noexcept { return isFloat(dtype) || isComplex(dtype); }

/// The dtype of a C++ element type: `dtypeOf<double>` is DType::F64. Defined for the types tensors can be made from.
template <typename T>
inline constexpr DType dtypeOf = [] {
  static_assert(sizeof(T) == 0, "no dtype for this C++ type");
  return DType::F64;
}();
template <> inline constexpr DType dtypeOf<float> = DType::F32;
template <> inline constexpr DType dtypeOf<double> = DType::F64;
template <> inline constexpr DType dtypeOf<int8_t> = DType::I8;
template <> inline constexpr DType dtypeOf<int16_t> = DType::I16;
template <> inline constexpr DType dtypeOf<int32_t> = DType::I32;
template <> inline constexpr DType dtypeOf<int64_t> = DType::I64;
template <> inline constexpr DType dtypeOf<uint8_t> = DType::U8;
template <> inline constexpr DType dtypeOf<bool> = DType::Bool;

} // namespace tenferro

#endif // TENFERRO_DTYPE_H
