// The public face of the runtime.
#include "tenferro/EagerRuntime.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Differentiate.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Explain/ExplainCache.h"
#include "lib/Eager/RuntimeState.h"
#include "tenferro/Memory.h"

namespace tenferro {

using detail::EagerAccess;
using eager::FunctionalRequest;

EagerRuntime::EagerRuntime(const RuntimeOptions &options) : state_(std::make_unique<State>(*this, options)) {}
EagerRuntime::~EagerRuntime() = default;

std::shared_ptr<EagerRuntime> EagerRuntime::create(const RuntimeOptions &options) {
  eager::checkLimits(options.preparedLimits, "EagerRuntime::create");
  if (options.policy > CompilePolicy::Never) {
    Failure failure;
    failure.kind = ErrorKind::InvalidArgument;
    failure.op = "EagerRuntime::create";
    failure.argument = "policy";
    failure.message =
        "expects Background, Immediate or Never, but got case " + std::to_string(static_cast<int>(options.policy));
    raise(std::move(failure));
  }
  if (options.memoryCap)
    setMemoryCap(*options.memoryCap);
  return std::shared_ptr<EagerRuntime>(new EagerRuntime(options));
}

uint64_t EagerRuntime::id() const noexcept { return state_->id; }

EagerTensor EagerRuntime::variable(const Tensor &value, Where where) {
  if (isDifferentiable(value.dtype()))
    state_->expectCompiles();
  return EagerAccess::adopt(new eager::Variable(*state_, value, where));
}

EagerTensor EagerRuntime::constant(const Tensor &value, Where where) {
  return EagerAccess::adopt(new eager::ConstantLeaf(*state_, value, where));
}

namespace {

std::optional<EagerTensor> differentiateBy(eager::RuntimeState &state, ExecutionEngine &engine, std::string_view op,
                                           core::TransformKind kind, const EagerTensor &output, const EagerTensor &wrt,
                                           const EagerTensor *seed, const std::source_location &where) {
  const EagerTensor *inputs[] = {&wrt};
  return std::move(eager::differentiate(state, engine, {op, kind, &output, inputs, seed, where})[0]);
}

EagerTensor orInactive(std::optional<EagerTensor> answer, std::string_view op, const EagerTensor &wrt,
                       const std::source_location &where) {
  if (!answer)
    eager::raiseInactive(op, wrt, where);
  return std::move(*answer);
}

} // namespace

std::optional<EagerTensor> EagerRuntime::gradOptional(ExecutionEngine &engine, const EagerTensor &output,
                                                      const EagerTensor &wrt, Where where) {
  return differentiateBy(*state_, engine, "grad", core::TransformKind::Vjp, output, wrt, nullptr, where);
}

EagerTensor EagerRuntime::grad(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                               Where where) {
  return orInactive(gradOptional(engine, output, wrt, where), "grad", wrt, where);
}

std::optional<EagerTensor> EagerRuntime::vjpOptional(ExecutionEngine &engine, const EagerTensor &output,
                                                     const EagerTensor &wrt, const EagerTensor &cotangent,
                                                     Where where) {
  return differentiateBy(*state_, engine, "vjp", core::TransformKind::Vjp, output, wrt, &cotangent, where);
}

EagerTensor EagerRuntime::vjp(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                              const EagerTensor &cotangent, Where where) {
  return orInactive(vjpOptional(engine, output, wrt, cotangent, where), "vjp", wrt, where);
}

std::vector<std::optional<EagerTensor>> EagerRuntime::vjpMany(ExecutionEngine &engine, const EagerTensor &output,
                                                              const std::vector<EagerTensor> &wrt,
                                                              const std::optional<EagerTensor> &cotangent,
                                                              Where where) {
  std::vector<const EagerTensor *> inputs;
  for (const EagerTensor &input : wrt)
    inputs.push_back(&input);
  return eager::differentiate(
      *state_, engine,
      {"vjpMany", core::TransformKind::Vjp, &output, inputs, cotangent ? &*cotangent : nullptr, where});
}

std::optional<EagerTensor> EagerRuntime::jvpOptional(ExecutionEngine &engine, const EagerTensor &output,
                                                     const EagerTensor &wrt, const EagerTensor &tangent, Where where) {
  return differentiateBy(*state_, engine, "jvp", core::TransformKind::Jvp, output, wrt, &tangent, where);
}

EagerTensor EagerRuntime::jvp(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                              const EagerTensor &tangent, Where where) {
  return orInactive(jvpOptional(engine, output, wrt, tangent, where), "jvp", wrt, where);
}

void EagerRuntime::synchronize(ExecutionEngine &engine) {
  state_->registerEngine(engine.kind());
  engine.synchronize();
}

std::vector<EngineKind> EagerRuntime::engineKinds() const { return state_->engineKinds(); }

void EagerRuntime::clearGrads() { state_->clearSlots(); }

size_t EagerRuntime::recordCount() const noexcept { return state_->recordCount(); }
size_t EagerRuntime::slotCount() const noexcept { return state_->slotCount(); }
uint64_t EagerRuntime::visitedCount() const noexcept { return state_->visited.load(std::memory_order_relaxed); }

RuntimeCacheStats EagerRuntime::cacheStats() const {
  CompileStats compiles = detail::AdContextAccess::state(*state_->adContext).ledger->stats();
  compiles.runsOpByOp = state_->runs[static_cast<size_t>(eager::Tier::OpByOp)].load(std::memory_order_relaxed);
  compiles.runsFused = state_->runs[static_cast<size_t>(eager::Tier::Fused)].load(std::memory_order_relaxed);
  return {state_->adContext->stats(), state_->prepared.stats(), state_->extensions.totalStats(), compiles,
          detail::AdContextAccess::state(*state_->adContext).families.stats(), state_->disk->stats()};
}

void EagerRuntime::finishCompiles() {
  eager::CompileQueue::get().finish(*detail::AdContextAccess::state(*state_->adContext).ledger);
  state_->disk->drain();
  if (state_->dumpGate)
    state_->dumpGate->rethrow();
}

CacheLimits EagerRuntime::preparedDerivativeLimits() const { return state_->prepared.limits(); }
void EagerRuntime::setPreparedDerivativeLimits(const CacheLimits &limits) {
  eager::checkLimits(limits, "setPreparedDerivativeLimits");
  state_->prepared.setLimits(limits);
}
void EagerRuntime::clearPreparedDerivatives() { state_->prepared.clear(); }
void EagerRuntime::clearAdTransforms() { state_->adContext->clear(); }
void EagerRuntime::clearCaches() {
  clearPreparedDerivatives();
  clearAdTransforms();
  clearExtensionCaches();
}

std::string EagerRuntime::explainCache() const { return eager::explainCache(*state_); }
const std::shared_ptr<AdContext> &EagerRuntime::adContext() const noexcept { return state_->adContext; }

} // namespace tenferro
