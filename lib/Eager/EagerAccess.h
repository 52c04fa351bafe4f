// The way from public handles to records and back, for the library's own use.
#ifndef TENFERRO_EAGER_EAGERACCESS_H
#define TENFERRO_EAGER_EAGERACCESS_H

#include "tenferro/EagerRuntime.h"

#include <utility>
#include <vector>

namespace tenferro {

namespace eager {
class RuntimeState;
} // namespace eager

namespace detail {

struct EagerAccess {
  /// The record behind a handle; null for an empty one.
  static eager::Record *record(const EagerTensor &tensor) noexcept { return tensor.record_; }
  /// A handle that takes over one handle count of the record.
  static EagerTensor adopt(eager::Record *record) noexcept { return EagerTensor(record); }
  static eager::RuntimeState &state(const EagerRuntime &runtime) noexcept;
  static std::vector<Gradients::Entry> &entries(Gradients &gradients) noexcept { return gradients.entries_; }
};

} // namespace detail
} // namespace tenferro

#endif // TENFERRO_EAGER_EAGERACCESS_H
