// Names and sizes of the element types.
#include "tenferro/DType.h"

#include <array>
#include <ostream>

namespace tenferro {

namespace {
struct Row {
  std::string_view name;
  uint8_t bytes;
};
constexpr std::array<Row, kDTypeCount> kRows = {{{"bool", 1},
                                                 {"u8", 1},
                                                 {"i8", 1},
                                                 {"i16", 2},
                                                 {"i32", 4},
                                                 {"i64", 8},
                                                 {"f16", 2},
                                                 {"bf16", 2},
                                                 {"f32", 4},
                                                 {"f64", 8},
                                                 {"complex64", 8},
                                                 {"complex128", 16}}};
} // namespace

std::string_view name(DType dtype) noexcept {
  return isDType(dtype) ? kRows[static_cast<size_t>(dtype)].name : std::string_view("unknown");
}

std::ostream &operator<<(std::ostream &out, DType dtype) { return out << name(dtype); }

bool parseDType(std::string_view text, DType &dtype) noexcept {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kRows[i].name == text) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  return false;
}

size_t byteSize(DType dtype) noexcept { return isDType(dtype) ? kRows[static_cast<size_t>(dtype)].bytes : 0; }

bool isFloat(DType dtype) noexcept { return dtype >= DType::F16 && dtype <= DType::F64; }
bool isComplex(DType dtype) noexcept { return dtype >= DType::Complex64 && isDType(dtype); }
bool isInteger(DType dtype) noexcept { return dtype >= DType::U8 && dtype <= DType::I64; }

} // namespace tenferro
