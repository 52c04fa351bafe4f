// Registration of families, reading their rules, running their kernels.
#include "lib/Eager/Custom/Extensions.h"

#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Custom/CustomRules.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/ForkLocks.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"

#include <algorithm>

namespace tenferro::eager {

using core::CustomRole;
using core::ValueType;

namespace {

Failure familyFailure(std::string_view family, ErrorKind kind, std::string_view argument, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.op = family;
  failure.argument = argument;
  failure.message = std::move(message);
  return failure;
}

/// The modules alive, by version.
struct Modules {
  static Modules &get() { return processWide<Modules>(); }
  std::mutex lock;
  uint64_t next = 1;
  std::unordered_map<uint64_t, const ExtensionModuleState *> byVersion;
};

uint64_t nextVersion() {
  Modules &modules = Modules::get();
  std::lock_guard lock(modules.lock);
  return modules.next++;
}

bool isIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// "<owner>.<op>.v<major>"
bool isFamilyId(std::string_view id) {
  size_t first = id.find('.'), last = id.rfind('.');
  if (first == std::string_view::npos || first == last)
    return false;
  std::string_view major = id.substr(last + 1);
  if (major.size() < 2 || major.size() > 10 || major[0] != 'v' || (major[1] == '0' && major.size() > 2))
    return false;
  return isIdentifier(id.substr(0, first)) && isIdentifier(id.substr(first + 1, last - first - 1)) &&
         std::all_of(major.begin() + 1, major.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view engineName(EngineKind kind) {
  switch (kind) {
  case EngineKind::Cpu:
    return "cpu";
  }
  return "unknown";
}

const ExtensionKernel *kernelFor(const ExtensionSpec &spec, EngineKind kind) {
  for (const auto &[engine, kernel] : spec.kernels)
    if (engine == kind)
      return &kernel;
  return nullptr;
}

} // namespace

//===- Modules --------------------------------------------------------------------------------------------------===//

ExtensionModuleState::ExtensionModuleState(ExtensionSpec given) : spec(std::move(given)), version(nextVersion()) {
  Modules &modules = Modules::get();
  std::lock_guard lock(modules.lock);
  modules.byVersion[version] = this;
}

ExtensionModuleState::~ExtensionModuleState() {
  Modules &modules = Modules::get();
  std::lock_guard lock(modules.lock);
  modules.byVersion.erase(version);
}

void registerModuleTable() { Modules::get(); }

std::shared_ptr<const ExtensionModuleState> findModule(uint64_t version) {
  Modules &modules = Modules::get();
  std::lock_guard lock(modules.lock);
  auto known = modules.byVersion.find(version);
  return known == modules.byVersion.end() ? nullptr : known->second->weak_from_this().lock();
}

core::Expected<std::shared_ptr<const runtime::Callback>> resolveCallback(const runtime::CallbackName &name) {
  if (std::shared_ptr<const ExtensionModuleState> module = findModule(name.version))
    return std::shared_ptr<const runtime::Callback>(std::move(module));
  return familyFailure(name.family, ErrorKind::RuntimeState, {},
                       "expects its module of rule version " + std::to_string(name.version) + ", but that is gone");
}

std::vector<ValueType> ExtensionModuleState::resultTypes(const std::vector<ValueType> &inputs,
                                                         const IntList &parameters) const {
  std::vector<TensorType> types;
  for (const ValueType &input : inputs)
    types.push_back({input.dtype, input.shape});
  std::vector<ValueType> results;
  for (TensorType &result : spec.shape(types, parameters)) {
    if (!isDType(result.dtype) || !core::isSupported(result.dtype))
      raise(familyFailure(spec.family, ErrorKind::Unsupported, "shape",
                          "expects its shape rule to give f32, f64, i32, i64, u8 or bool, but got " +
                              std::string(name(result.dtype))));
    if (!result.shape.isValid())
      raise(familyFailure(spec.family, ErrorKind::InvalidArgument, "shape",
                          "expects its shape rule to give extents that are at least 0 and fit in memory, but got " +
                              result.shape.str()));
    results.push_back({result.dtype, std::move(result.shape)});
  }
  if (results.empty())
    raise(familyFailure(spec.family, ErrorKind::InvalidArgument, "shape",
                        "expects its shape rule to give a result, but it gives none"));
  return results;
}

std::vector<bool> ExtensionModuleState::linearInputs(const std::vector<ValueType> &inputs) const {
  std::vector<bool> linear;
  if (!spec.transpose)
    return linear;
  if (!spec.linearInputs.empty() && spec.linearInputs.size() != inputs.size())
    raise(familyFailure(spec.family, ErrorKind::InvalidArgument, "linearInputs",
                        "expects one linear flag per input, but got " + std::to_string(spec.linearInputs.size()) +
                            " for " + std::to_string(inputs.size()) + " inputs"));
  for (size_t i = 0; i < inputs.size(); ++i)
    linear.push_back(isDifferentiable(inputs[i].dtype) && (spec.linearInputs.empty() || spec.linearInputs[i]));
  return linear;
}

void ExtensionModuleState::requireKernel(const ExecutionEngine &engine) const {
  if (kernelFor(spec, engine.kind()))
    return;
  raise(familyFailure(spec.family, ErrorKind::Unsupported, "kernels",
                      "expects a kernel for engines of kind " + std::string(engineName(engine.kind())) +
                          ", but has none"));
}

void ExtensionModuleState::run(const runtime::CallbackCaller &caller, const IntList &parameters,
                               std::span<const runtime::TensorView> inputs,
                               std::span<const runtime::TensorView> outputs) const {
  requireKernel(*caller.engine);
  std::vector<KernelInput> from;
  std::vector<KernelOutput> to;
  for (const runtime::TensorView &view : inputs)
    from.emplace_back(view.data, view.dtype, view.shape, &spec.family);
  for (const runtime::TensorView &view : outputs)
    to.emplace_back(view.data, view.dtype, view.shape, &spec.family);
  ExtensionCache &cache = static_cast<RuntimeState *>(caller.runtime)->extensions.cache(spec.family);
  ExtensionContext context(*caller.engine, spec.family, version, parameters, cache);
  (*kernelFor(spec, caller.engine->kind()))(context, from, to);
}

//===- Caches ---------------------------------------------------------------------------------------------------===//

std::shared_ptr<void> ExtensionCache::get(const std::string &family, uint64_t version, std::string_view cache,
                                          uint64_t discriminator, const void *type, const Build &build) {
  Digest name = digest(cache);
  const uint64_t words[] = {name.low, name.high, discriminator, version};
  Digest key = digest(std::span<const uint64_t>(words));
  std::shared_ptr<const Entry> entry = entries.get({key.low, key.high}, [&]() -> runtime::Built<const Entry> {
    auto [value, bytes] = build();
    return {std::make_shared<Entry>(Entry{std::move(value), type}), bytes};
  });
  if (entry->type != type)
    throw KernelMisuse(familyFailure(family, ErrorKind::InvalidArgument, "cache",
                                     "expects one type of entries in cache '" + std::string(cache) + "', but entry " +
                                         std::to_string(discriminator) + " holds another"));
  return entry->value;
}

//===- Registry -------------------------------------------------------------------------------------------------===//

/// The rules read in one epoch. Functions refer to each other without owning; who holds one from outside holds the
/// pool.
struct FamilyPool {
  uint64_t epoch = 0;
  /// A function, and what keeps its module alive.
  struct Entry {
    core::CustomFunction function;
    std::shared_ptr<const ExtensionModuleState> module;
  };
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries;
  std::vector<std::string> order; ///< keys, as they were added
};

ExtensionRegistry::ExtensionRegistry(RuntimeState &state) : state_(state) {}
ExtensionRegistry::~ExtensionRegistry() = default;

uint64_t ExtensionRegistry::install(std::shared_ptr<const ExtensionModuleState> module) {
  std::unique_lock lock(lock_);
  std::shared_ptr<const ExtensionModuleState> &current = modules_[module->spec.family];
  if (current == module)
    return epoch();
  if (threadState.readingRules) { // each reading would begin an epoch of its own, for ever
    const std::string family = module->spec.family;
    if (!current)
      modules_.erase(family);
    raise(familyFailure("installExtension", ErrorKind::RuntimeState, "module",
                        "expects to be called outside of rules, but a rule that is being read installs '" + family + "'"));
  }
  std::swap(current, module);
  uint64_t now = epoch_.fetch_add(1, std::memory_order_acq_rel) + 1;
  // Plans of the module that was replaced may be of another make.
  auto known = caches_.find(current->spec.family);
  ExtensionCache *cache = known == caches_.end() ? nullptr : known->second.get();
  lock.unlock();
  if (cache && module)
    cache->entries.clear();
  return now;
}

std::shared_ptr<const ExtensionModuleState> ExtensionRegistry::require(std::string_view family,
                                                                       std::string_view op) const {
  std::shared_lock lock(lock_);
  if (auto known = modules_.find(family); known != modules_.end())
    return known->second;
  raise(familyFailure(op, ErrorKind::RuntimeState, "family",
                      "expects an installed extension family, but there is no '" + std::string(family) + "'"));
}

ExtensionCache &ExtensionRegistry::cache(std::string_view family) {
  {
    std::shared_lock lock(lock_);
    if (auto known = caches_.find(family); known != caches_.end())
      return *known->second;
  }
  std::unique_lock lock(lock_);
  std::unique_ptr<ExtensionCache> &cache = caches_[std::string(family)];
  if (!cache)
    cache = std::make_unique<ExtensionCache>();
  return *cache;
}

CacheStats ExtensionRegistry::totalStats() const {
  std::shared_lock lock(lock_);
  CacheStats total;
  for (const auto &[family, cache] : caches_) {
    CacheStats one = cache->entries.stats();
    total.entries += one.entries;
    total.retainedBytes += one.retainedBytes;
    total.hits += one.hits;
    total.misses += one.misses;
    total.evictions += one.evictions;
    total.clears += one.clears;
  }
  return total;
}

void ExtensionRegistry::clearCaches() {
  std::shared_lock lock(lock_);
  for (const auto &[family, cache] : caches_)
    cache->entries.clear();
}

namespace {

/// Tensors at the places of `mask`, empty handles at the others.
TensorList masked(std::span<const EagerTensor> tensors, uint64_t mask) {
  TensorList list(tensors.begin(), tensors.end());
  for (size_t i = 0; i < list.size(); ++i)
    if (!(mask >> std::min<size_t>(i, 63) & 1))
      list[i] = EagerTensor();
  return list;
}

void stageRules(EagerRuntime &runtime, ExecutionEngine &engine, const ExtensionModuleState &module,
                core::CustomFunction &function) {
  CustomAssembler assembler(function, /*embedsNumbers=*/true);
  const ExtensionSpec &spec = module.spec;
  const size_t inputs = function.inputs, results = function.results.size();
  auto stageRule = [&](CustomRole role, const ExtensionRule &rule, const RuleResiduals &residuals) {
    if (!rule)
      return;
    assembler.stageBody(runtime, engine, role, [&](EagerSession &, std::span<const EagerTensor> arguments) {
      TensorList from, to(results);
      size_t given = inputs + results;
      if (role == CustomRole::Transpose) {
        given = 0;
        for (bool linear : function.linear)
          from.push_back(linear ? EagerTensor() : arguments[given++]);
        from = masked(from, residuals.inputs);
      } else {
        from = masked(arguments.first(inputs), residuals.inputs);
        to = masked(arguments.subspan(inputs, results), residuals.outputs);
      }
      return rule({from, to, function.parameters},
                  TensorList(arguments.begin() + static_cast<ptrdiff_t>(given), arguments.end()));
    });
  };
  stageRule(CustomRole::Jvp, spec.jvp, spec.jvpResiduals);
  stageRule(CustomRole::Vjp, spec.vjp, spec.vjpResiduals);
  stageRule(CustomRole::Transpose, spec.transpose, spec.transposeResiduals);
  assembler.finish();
}

std::string poolKey(const ExtensionModuleState &module, const std::vector<ValueType> &inputs,
                    const IntList &parameters) {
  std::string key = std::to_string(module.version) + parameters.str();
  for (const ValueType &input : inputs)
    key += " " + std::string(name(input.dtype)) + input.shape.str();
  return key;
}

} // namespace

ExtensionRegistry::Resolved ExtensionRegistry::resolve(ExecutionEngine &engine, std::string_view family,
                                                       const std::vector<ValueType> &inputs,
                                                       const IntList &parameters) {
  constexpr size_t kMostFunctions = 1024;
  constexpr int kMaxDepth = 64;
  std::lock_guard resolving(resolving_);
  const uint64_t now = epoch();
  // Rules that are being read belong to one epoch, also if the next has begun: who asked will see and ask again.
  if (depth_ == 0 && (!pool_ || pool_->epoch != now || pool_->entries.size() > kMostFunctions)) {
    pool_ = std::make_shared<FamilyPool>();
    pool_->epoch = now;
  }
  const std::shared_ptr<FamilyPool> pool = pool_;
  std::shared_ptr<const ExtensionModuleState> module = require(family, family);
  std::string key = poolKey(*module, inputs, parameters);
  auto answer = [&](FamilyPool::Entry &entry) -> Resolved {
    std::shared_ptr<const void> owner;
    if (depth_ == 0)
      owner = pool;
    return {std::shared_ptr<const core::CustomFunction>(owner, &entry.function), pool->epoch};
  };
  if (auto known = pool->entries.find(key); known != pool->entries.end())
    return answer(*known->second);
  if (depth_ >= kMaxDepth)
    raise(familyFailure(family, ErrorKind::Unsupported, {},
                        "expects rules of families that need at most " + std::to_string(kMaxDepth) +
                            " others, one inside the other"));
  const size_t first = pool->order.size();
  auto added = std::make_unique<FamilyPool::Entry>();
  FamilyPool::Entry &entry = *added;
  entry.module = module;
  core::CustomFunction &function = entry.function;
  function.name = module->spec.family;
  function.version = module->version;
  function.parameters = parameters;
  function.operands = inputs;
  function.inputs = static_cast<uint32_t>(inputs.size());
  function.results = module->resultTypes(inputs, parameters);
  function.linear = module->linearInputs(inputs);
  pool->entries.emplace(key, std::move(added));
  pool->order.push_back(key);
  ++depth_;
  ++threadState.readingRules;
  try {
    stageRules(state_.runtime, engine, *module, function);
  } catch (...) {
    --threadState.readingRules;
    --depth_;
    // What was added since may refer to it.
    while (pool->order.size() > first) {
      pool->entries.erase(pool->order.back());
      pool->order.pop_back();
    }
    throw;
  }
  --threadState.readingRules;
  --depth_;
  return answer(entry);
}

} // namespace tenferro::eager

namespace tenferro {

std::shared_ptr<void>
ExtensionContext::get(std::string_view cache, uint64_t discriminator, const void *type,
                      const std::function<std::pair<std::shared_ptr<void>, size_t>()> &build) const {
  return cache_->get(*family_, version_, cache, discriminator, type, build);
}

ExtensionModule::ExtensionModule(ExtensionSpec spec) {
  auto fail = [&](const char *argument, std::string message) {
    raise(eager::familyFailure(spec.family.empty() ? "ExtensionModule" : spec.family, ErrorKind::InvalidArgument,
                               argument, std::move(message)));
  };
  if (!eager::isFamilyId(spec.family))
    fail("family", "expects a family id like 'owner.op.v1', but got '" + spec.family + "'");
  if (!spec.shape)
    fail("shape", "expects a shape rule, but got none");
  if (spec.kernels.empty())
    fail("kernels", "expects a kernel for at least one kind of engine, but got none");
  for (size_t i = 0; i < spec.kernels.size(); ++i) {
    if (!spec.kernels[i].second)
      fail("kernels", "expects callable kernels, but kernel " + std::to_string(i) + " is empty");
    for (size_t j = 0; j < i; ++j)
      if (spec.kernels[j].first == spec.kernels[i].first)
        fail("kernels", "expects one kernel per kind of engine, but got two for one");
  }
  if (!spec.linearInputs.empty() && !spec.transpose)
    fail("linearInputs", "expects a transpose rule where inputs are linear, but got none");
  state_ = std::make_shared<eager::ExtensionModuleState>(std::move(spec));
}

const std::string &ExtensionModule::family() const noexcept { return state_->spec.family; }
uint64_t ExtensionModule::version() const noexcept { return state_->version; }

ExtensionError::ExtensionError(std::string family, std::string message, ErrorKind kind)
    : Error(eager::familyFailure(family, kind, {}, std::move(message))) {}
ExtensionError::~ExtensionError() = default;

void KernelOperand::requireDType(DType dtype) const {
  if (dtype == dtype_)
    return;
  Failure failure =
      eager::familyFailure(family_ ? std::string_view(*family_) : "kernel", ErrorKind::DTypeMismatch, "data",
                           "the kernel's operand holds " + std::string(name(dtype_)) + " elements, but was read as " +
                               std::string(name(dtype)));
  failure.dtypes = {dtype_, dtype};
  throw eager::KernelMisuse(std::move(failure));
}

} // namespace tenferro
