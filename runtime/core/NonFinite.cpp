// Scans elements, and follows a NaN or an infinity from a result back to where it was made.
#include "runtime/core/NonFinite.h"

#include "runtime/core/Address.h"

#include <cmath>
#include <cstring>

namespace tenferro::runtime {

namespace {

template <typename T> std::optional<NonFinite> look(const void *address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  if (std::isfinite(value)) [[likely]]
    return std::nullopt;
  return std::isnan(value) ? NonFinite::NaN : NonFinite::Infinity;
}

/// A narrow float: all bits of the exponent set.
template <int Exponent, int Fraction> std::optional<NonFinite> lookNarrow(const void *address) noexcept {
  uint16_t bits;
  std::memcpy(&bits, address, sizeof bits);
  constexpr uint16_t mask = ((1u << Exponent) - 1) << Fraction;
  if ((bits & mask) != mask)
    return std::nullopt;
  return bits & ((1u << Fraction) - 1) ? NonFinite::NaN : NonFinite::Infinity;
}

template <typename T> std::optional<NonFinite> lookComplex(const void *address) noexcept {
  std::optional<NonFinite> real = look<T>(address);
  return real ? real : look<T>(offset(const_cast<void *>(address), sizeof(T)));
}

using Look = std::optional<NonFinite> (*)(const void *) noexcept;

Look lookOf(DType dtype) noexcept {
  switch (dtype) {
  case DType::F16:
    return lookNarrow<5, 10>;
  case DType::BF16:
    return lookNarrow<8, 7>;
  case DType::F32:
    return look<float>;
  case DType::F64:
    return look<double>;
  case DType::Complex64:
    return lookComplex<float>;
  case DType::Complex128:
    return lookComplex<double>;
  default:
    return nullptr;
  }
}

} // namespace

const char *name(NonFinite what) noexcept { return what == NonFinite::NaN ? "nan" : "an infinity"; }

std::optional<NonFiniteElement> findNonFinite(const TensorView &view) {
  const Look look = lookOf(view.dtype);
  if (!look || !view.data)
    return std::nullopt;
  const auto elementBytes = static_cast<int64_t>(byteSize(view.dtype));
  IntList position(view.shape.size(), 0);
  for (int64_t left = view.elementCount(); left > 0; --left) {
    int64_t at = 0;
    for (size_t d = 0; d < position.size(); ++d)
      at += position[d] * view.strides[d];
    if (std::optional<NonFinite> found = look(offset(view.data, at * elementBytes)))
      return NonFiniteElement{*found, std::move(position)};
    for (size_t d = 0; d < position.size() && ++position[d] == view.shape[d]; ++d)
      position[d] = 0;
  }
  return std::nullopt;
}

uint32_t NonFiniteProbe::base(uint32_t value) const {
  while (program_.values[value].storage == StorageKind::View)
    value = program_.values[value].index;
  return value;
}

void NonFiniteProbe::look(size_t launch, std::span<const TensorView *const> operands, bool outputs) {
  const Launch &row = program_.launches[launch];
  const size_t inputs = row.operands.size() - row.outputs;
  for (size_t i = outputs ? inputs : 0; i < (outputs ? row.operands.size() : inputs); ++i) {
    Value &value = values_[base(row.operands[i])];
    if (outputs)
      value.writer = static_cast<uint32_t>(launch);
    if (!value.found)
      if (std::optional<NonFiniteElement> element = findNonFinite(*operands[i]))
        value.found = element->what;
  }
}

void NonFiniteProbe::before(size_t launch, std::span<const TensorView *const> operands) {
  look(launch, operands, /*outputs=*/false);
}

void NonFiniteProbe::after(size_t launch, std::span<const TensorView *const> operands) {
  look(launch, operands, /*outputs=*/true);
}

std::optional<NonFiniteProbe::Source> NonFiniteProbe::source() const {
  for (uint32_t result : program_.results) {
    uint32_t at = base(result);
    if (!values_[at].found)
      continue;
    // Launches run in order, so writers fall along the way.
    while (values_[at].writer != ~0u) {
      const Launch &row = program_.launches[values_[at].writer];
      uint32_t from = at;
      for (size_t i = 0; i + row.outputs < row.operands.size() && from == at; ++i)
        if (uint32_t input = base(row.operands[i]); values_[input].found && input != at)
          from = input;
      if (from == at)
        return Source{true, values_[at].writer, *values_[at].found};
      at = from;
    }
    if (program_.values[at].storage == StorageKind::Argument)
      return Source{false, program_.values[at].index, *values_[at].found};
  }
  return std::nullopt;
}

} // namespace tenferro::runtime
