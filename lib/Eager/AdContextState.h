// The inside of an AdContext.
#ifndef TENFERRO_EAGER_ADCONTEXTSTATE_H
#define TENFERRO_EAGER_ADCONTEXTSTATE_H

#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Programs/CompileQueue.h"
#include "lib/Eager/Programs/Prepared.h"
#include "lib/Eager/Programs/SymbolicSizes.h"
#include "tenferro/Autodiff.h"

namespace tenferro {

struct AdContext::State {
  explicit State(const CacheLimits &limits) : cache(limits), families(limits) {}
  eager::TransformCache cache;
  eager::SizeFamilies families; ///< structures by their keys without sizes
  const std::shared_ptr<eager::CompileLedger> ledger = std::make_shared<eager::CompileLedger>(); ///< compiles may outlive the context
  std::vector<std::shared_ptr<const eager::ExtensionModuleState>> extensions; ///< of every runtime made from it
};

namespace detail {
struct AdContextAccess {
  static auto &state(AdContext &context) noexcept { return *context.state_; }
};
} // namespace detail

namespace eager {

/// Raises InvalidArgument for limits that allow no entry.
void checkLimits(const CacheLimits &limits, const char *op);

} // namespace eager
} // namespace tenferro

#endif // TENFERRO_EAGER_ADCONTEXTSTATE_H
