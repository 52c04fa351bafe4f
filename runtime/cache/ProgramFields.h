// The fields of a compiled program, one after the other: what reading, writing and anything else that must not forget
// one go by.
//
// Structured bindings name all members of a structure, so a member that is added without being listed here does not
// compile.
#ifndef TENFERRO_RUNTIME_CACHE_PROGRAMFIELDS_H
#define TENFERRO_RUNTIME_CACHE_PROGRAMFIELDS_H

#include "runtime/program/Program.h"

#include <type_traits>

namespace tenferro::runtime {

template <typename T, typename Structure>
concept FieldsOf = std::is_same_v<std::remove_const_t<T>, Structure>;

// Each calls `visit(field...)` once and returns what it returns.

template <typename Visit> decltype(auto) fields(FieldsOf<core::ValueType> auto &of, Visit &&visit) {
  auto &[dtype, shape] = of;
  return visit(dtype, shape);
}
template <typename Visit> decltype(auto) fields(FieldsOf<View> auto &of, Visit &&visit) {
  auto &[reshape, dims, starts, steps, alongside] = of;
  return visit(reshape, dims, starts, steps, alongside);
}
template <typename Visit> decltype(auto) fields(FieldsOf<ProgramValue> auto &of, Visit &&visit) {
  auto &[type, storage, index, offset, view] = of;
  return visit(type, storage, index, offset, view);
}
template <typename Visit> decltype(auto) fields(FieldsOf<CallbackName> auto &of, Visit &&visit) {
  auto &[family, version, parameters] = of;
  return visit(family, version, parameters);
}
template <typename Visit> decltype(auto) fields(FieldsOf<DotDimensions> auto &of, Visit &&visit) {
  auto &[lhsContracting, rhsContracting, lhsBatch, rhsBatch] = of;
  return visit(lhsContracting, rhsContracting, lhsBatch, rhsBatch);
}
template <typename Visit> decltype(auto) fields(FieldsOf<WindowDimensions> auto &of, Visit &&visit) {
  auto &[window, fixed, map, vectorDim, sizes, mode, update, backward] = of;
  return visit(window, fixed, map, vectorDim, sizes, mode, update, backward);
}
template <typename Visit> decltype(auto) fields(FieldsOf<Launch> auto &of, Visit &&visit) {
  auto &[kind, kernel, function, operands, outputs, access, axes, low, interior, dot, windows, reverse, combine,
         rowOnly, weight, opNumbers] = of;
  return visit(kind, kernel, function, operands, outputs, access, axes, low, interior, dot, windows, reverse, combine,
               rowOnly, weight, opNumbers);
}
template <typename Visit> decltype(auto) fields(FieldsOf<LaunchOrigin> auto &of, Visit &&visit) {
  auto &[opNumber, innerNumber, made] = of;
  return visit(opNumber, innerNumber, made);
}
template <typename Visit> decltype(auto) fields(FieldsOf<Program> auto &of, Visit &&visit) {
  auto &[values, launches, origins, arguments, argumentUsed, argumentContiguous, results, arenaBytes, constants,
         callbacks] = of;
  return visit(values, launches, origins, arguments, argumentUsed, argumentContiguous, results, arenaBytes, constants,
               callbacks);
}
template <typename Visit> decltype(auto) fields(FieldsOf<CompiledArtifact> auto &of, Visit &&visit) {
  auto &[program, active, object, functions] = of;
  return visit(program, active, object, functions);
}

template <typename T>
concept HasFields = requires(T &of) { fields(of, [](auto & ...) {}); };

// Which numbers are enumerators. A new one that is not listed does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

constexpr bool isEnumerator(DType value) noexcept { return isDType(value); }
constexpr bool isEnumerator(StorageKind value) noexcept {
  switch (value) {
  case StorageKind::Argument:
  case StorageKind::Result:
  case StorageKind::Arena:
  case StorageKind::Constant:
  case StorageKind::Index:
  case StorageKind::View:
    return true;
  }
  return false;
}
constexpr bool isEnumerator(LaunchKind value) noexcept {
  switch (value) {
  case LaunchKind::Map:
  case LaunchKind::Reduce:
  case LaunchKind::Matmul:
  case LaunchKind::Take:
  case LaunchKind::ScatterAdd:
  case LaunchKind::Pad:
  case LaunchKind::CumulativeSum:
  case LaunchKind::ArgMax:
  case LaunchKind::ArgMin:
  case LaunchKind::Copy:
  case LaunchKind::Gather:
  case LaunchKind::Scatter:
  case LaunchKind::ScatterPrefix:
  case LaunchKind::Callback:
    return true;
  }
  return false;
}
constexpr bool isEnumerator(Access value) noexcept {
  switch (value) {
  case Access::Unit:
  case Access::Scalar:
  case Access::Index:
    return true;
  }
  return false;
}
constexpr bool isEnumerator(IndexMode value) noexcept {
  switch (value) {
  case IndexMode::Error:
  case IndexMode::Clip:
  case IndexMode::Fill:
    return true;
  }
  return false;
}
constexpr bool isEnumerator(ScatterUpdate value) noexcept {
  switch (value) {
  case ScatterUpdate::Add:
  case ScatterUpdate::Mul:
  case ScatterUpdate::Max:
  case ScatterUpdate::Min:
  case ScatterUpdate::Set:
    return true;
  }
  return false;
}

#pragma GCC diagnostic pop

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_PROGRAMFIELDS_H
