// A value or the rule that was broken: the return type of everything that must not throw.
#ifndef TENFERRO_CORE_EXPECTED_H
#define TENFERRO_CORE_EXPECTED_H

#include "tenferro/Error.h"

#include <utility>
#include <variant>

namespace tenferro::core {

/// Holds a T or a Failure. Used where exceptions are off (the dialect, the compiler) and by every shape rule.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  T &operator*() noexcept { return *std::get_if<0>(&state_); }
  const T &operator*() const noexcept { return *std::get_if<0>(&state_); }
  T *operator->() noexcept { return std::get_if<0>(&state_); }
  const T *operator->() const noexcept { return std::get_if<0>(&state_); }
  Failure &failure() noexcept { return *std::get_if<1>(&state_); }
  const Failure &failure() const noexcept { return *std::get_if<1>(&state_); }

private:
  std::variant<T, Failure> state_;
};

} // namespace tenferro::core

#endif // TENFERRO_CORE_EXPECTED_H
