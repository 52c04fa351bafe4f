// Looking a derivative up, and making it on a miss.
#include "lib/Eager/Programs/Prepared.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Explain/ExplainCache.h"
#include "lib/Eager/Programs/FusedCompile.h"
#include "lib/Eager/Programs/ProgramTiers.h"
#include "lib/Eager/Programs/SizedPrograms.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"

namespace tenferro::eager {

namespace {

std::string_view engineName(uint8_t kind) {
  switch (static_cast<EngineKind>(kind)) {
  case EngineKind::Cpu:
    return "cpu";
  }
  return "unknown";
}

/// The full key of a transformed program, and that with the engine's kind.
struct KeyTexts {
  std::string transformed;
  std::shared_ptr<const std::string> prepared;
};

/// `derived` lacks its activity; it and the program's derivative are the same function of their leaves.
runtime::Built<const PreparedDerivative> buildPrepared(RuntimeState &state, const ProgramSource &source,
                                                       const Target &target, KeyTexts texts,
                                                       std::shared_ptr<core::DerivedFunction> derived) {
  auto prepared = std::make_shared<PreparedDerivative>();
  prepared->text = std::move(texts.prepared);
  prepared->program = transformed(state, source, target.level, firstTier(state),
                                  state.policy == CompilePolicy::Background && !threadState.checkNumerics,
                                  std::move(texts.transformed));
  const runtime::LoadedProgram &loaded = prepared->program->any();
  derived->active = loaded.active();
  prepared->derivedDigest = digest(std::string_view(core::structureKey(derived->graph, derived->transform)));
  for (size_t i = 0; i < loaded.resultCount(); ++i)
    prepared->resultTypes.push_back(loaded.resultType(i));
  const size_t programBytes = prepared->program->retainedBytes();
  prepared->accounted.store(programBytes, std::memory_order_relaxed);
  size_t bytes = sizeof *prepared + prepared->text->size() + functionBytes(derived->graph) + programBytes +
                 prepared->resultTypes.size() * sizeof(core::ValueType);
  prepared->derived = std::move(derived);
  const bool follows = prepared->program->follows;
  return {std::move(prepared), bytes, follows};
}

/// Tells both caches what a program has come to cost since they took it.
void account(RuntimeState &state, const runtime::CacheKey &key, const PreparedDerivative &entry) {
  const size_t bytes = entry.program->retainedBytes();
  const size_t known = entry.accounted.exchange(bytes, std::memory_order_relaxed);
  if (bytes > known)
    state.prepared.grow(key, &entry, bytes - known);
  if (size_t growth = entry.program->takeGrowth()) {
    const Digest text = digest(std::string_view(entry.program->text));
    detail::AdContextAccess::state(*state.adContext).cache.grow({text.low, text.high}, entry.program.get(), growth);
  }
}

/// What runs now of an entry that is not settled, under the runtime's policy.
const runtime::LoadedProgram &choose(RuntimeState &state, const runtime::CacheKey &key, const PreparedDerivative &entry,
                                     const ProgramSource &source) {
  TransformedProgram &program = *entry.program;
  Tier tier = firstTier(state);
  bool isSettled = !threadState.checkNumerics;
  if (state.policy == CompilePolicy::Background && isSettled) {
    if (program.find(Tier::Fused) || followFused(program))
      tier = Tier::Fused;
    else
      isSettled = !askForFused(state, entry.program, source);
  }
  const runtime::LoadedProgram &loaded = tierOf(state, program, tier, source);
  account(state, key, entry);
  if (isSettled) {
    entry.settledTier.store(tier, std::memory_order_relaxed);
    entry.settled.store(&loaded, std::memory_order_release);
  }
  state.runs[static_cast<size_t>(tier)].fetch_add(1, std::memory_order_relaxed);
  return loaded;
}

/// The entry with what runs now.
PreparedAnswer answer(RuntimeState &state, const runtime::CacheKey &key,
                      std::shared_ptr<const PreparedDerivative> entry, const ProgramSource &source) {
  const runtime::LoadedProgram *loaded = entry->settled.load(std::memory_order_acquire);
  if (!loaded || threadState.checkNumerics) [[unlikely]]
    loaded = &choose(state, key, *entry, source);
  else
    state.runs[static_cast<size_t>(entry->settledTier.load(std::memory_order_relaxed))].fetch_add(
        1, std::memory_order_relaxed);
  return {std::move(entry), loaded};
}

/// Looks `key` up, with the trace of it that `explainCache` reads. On a miss `build(texts)` makes the entry of the full
/// key that `structure()` begins.
template <typename Structure, typename Build>
std::shared_ptr<const PreparedDerivative> lookUp(RuntimeState &state, const runtime::CacheKey &key,
                                                 const Target &target, PreparedCache::Memo &memo, Structure &&structure,
                                                 Build &&build) {
  ThreadState &thread = threadState;
  thread.lookupRuntime = state.id;
  thread.lookupKey = key;
  thread.lookupHit = true;
  return state.prepared.get(key, memo, [&] {
    threadState.lookupHit = false;
    KeyTexts texts{structure() + targetText(target), nullptr};
    texts.prepared = std::make_shared<const std::string>(texts.transformed + "engine " +
                                                         std::string(engineName(target.engineKind)) + "\n");
    noteMiss(state, key, texts.prepared);
    return build(std::move(texts));
  });
}

} // namespace

PreparedAnswer prepare(RuntimeState &state, Workspace &workspace, const Target &target) {
  const Walk &walk = workspace.walk;
  const WalkSource source(walk);
  std::shared_ptr<const PreparedDerivative> entry = lookUp(
      state, walk.key(), target, workspace.memo,
      [&] { return core::structureKey(source.graph(), walk.transform(true)); },
      [&](KeyTexts texts) {
        auto derived = std::make_shared<core::DerivedFunction>();
        derived->graph = walk.graph(false);
        derived->transform = walk.transform(false);
        return buildPrepared(state, source, target, std::move(texts), std::move(derived));
      });
  return answer(state, walk.key(), std::move(entry), source);
}

PreparedAnswer prepareProgram(RuntimeState &state, const std::shared_ptr<const core::DerivedFunction> &program,
                              const std::string &text, const Digest &structure, const Target &target,
                              const PlaceFunction &place, PreparedCache::Memo &memo) {
  const uint64_t words[] = {structure.low, structure.high,
                            static_cast<uint64_t>(target.level) << 8 | static_cast<uint64_t>(target.engineKind) << 16,
                            static_cast<uint64_t>(compiler::kRuleSetVersion) << 32 |
                                static_cast<uint64_t>(compiler::kPipelineVersion)};
  const Digest hashed = digest(words);
  const runtime::CacheKey key{hashed.low, hashed.high};
  const GraphSource source(program->graph, program->transform, place);
  std::shared_ptr<const PreparedDerivative> entry = lookUp(
      state, key, target, memo, [&] { return text; },
      [&](KeyTexts texts) {
        return buildPrepared(state, source, target, std::move(texts),
                             std::make_shared<core::DerivedFunction>(*program));
      });
  return answer(state, key, std::move(entry), source);
}

DerivedCallee derivedCallee(RuntimeState &state, core::Graph graph, core::Transform transform, runtime::CpuLevel level,
                            const PlaceFunction &place) {
  Target target;
  target.level = level;
  std::string text = core::structureKey(graph, transform) + targetText(target);
  const GraphSource source(graph, transform, place);
  const std::shared_ptr<TransformedProgram> program =
      transformed(state, source, level, Tier::OpByOp, /*welcome=*/false, std::move(text));
  const runtime::LoadedProgram &loaded = program->any();
  auto function = std::make_shared<core::DerivedFunction>();
  function->graph = std::move(graph);
  function->transform = std::move(transform);
  function->active = loaded.active();
  DerivedCallee callee;
  for (size_t i = 0; i < loaded.resultCount(); ++i)
    callee.results.push_back(loaded.resultType(i));
  callee.function = std::move(function);
  return callee;
}

} // namespace tenferro::eager
