// The differentiation context: rules and differentiated programs, shared by the runtimes made from it.
#ifndef TENFERRO_AUTODIFF_H
#define TENFERRO_AUTODIFF_H

#include "tenferro/Cache.h"
#include "tenferro/Export.h"

#include <memory>
#include <vector>

namespace tenferro {

class ExtensionModule;

namespace detail {
struct AdContextAccess;
} // namespace detail

/// Owns the cache of differentiated programs (program structure, transform and active masks to artifact). Thread safety: every
/// method may be called from any thread.
class TENFERRO_EXPORT AdContext {
public:
  static std::shared_ptr<AdContext> create(const CacheLimits &limits = {});
  /// A context with rules: every runtime made from it has these extension families installed from the start. Include
  /// tenferro/Extension.h. Errors: InvalidArgument for two modules of one family.
  static std::shared_ptr<AdContext> create(const std::vector<ExtensionModule> &extensions, const CacheLimits &limits = {});
  ~AdContext();
  AdContext(const AdContext &) = delete;
  AdContext &operator=(const AdContext &) = delete;

  CacheStats stats() const;
  CacheLimits limits() const;
  void setLimits(const CacheLimits &limits); ///< Errors: InvalidArgument for maxEntries 0
  void clear();

private:
  friend struct detail::AdContextAccess;
  explicit AdContext(const CacheLimits &limits);
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tenferro

#endif // TENFERRO_AUTODIFF_H
