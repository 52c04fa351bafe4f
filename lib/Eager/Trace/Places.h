// Where a thing stands in a list of distinct things: by looking for a few, by hashing for many.
#ifndef TENFERRO_EAGER_TRACE_PLACES_H
#define TENFERRO_EAGER_TRACE_PLACES_H

#include "runtime/core/InlineVector.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>

namespace tenferro::eager {

/// Distinct pointers numbered in the order they are added.
template <typename T> class Places {
public:
  /// The number of `thing`, a new one if it has none; `isNew` tells.
  size_t add(T *thing, bool &isNew) {
    size_t place = find(thing);
    isNew = place == things_.size();
    if (!isNew)
      return place;
    things_.push_back(thing);
    if (things_.size() == kFew) {
      places_ = std::make_unique<std::unordered_map<T *, size_t>>();
      for (size_t i = 0; i < kFew; ++i)
        places_->emplace(things_[i], i);
    } else if (things_.size() > kFew) {
      places_->emplace(thing, place);
    }
    return place;
  }

  /// The number of `thing`, or `size()`.
  size_t find(T *thing) const {
    if (things_.size() < kFew)
      return static_cast<size_t>(std::find(things_.begin(), things_.end(), thing) - things_.begin());
    auto found = places_->find(thing);
    return found == places_->end() ? things_.size() : found->second;
  }

  size_t size() const noexcept { return things_.size(); }
  T *operator[](size_t place) const noexcept { return things_[place]; }
  std::span<T *const> list() const noexcept { return {things_.data(), things_.size()}; }

private:
  static constexpr size_t kFew = 32;
  runtime::InlineVector<T *, 4> things_; ///< few are the rule: no memory of their own
  std::unique_ptr<std::unordered_map<T *, size_t>> places_; ///< once there are kFew
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_PLACES_H
