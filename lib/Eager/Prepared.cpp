// Looking a derivative up, making it on a miss, and having it compiled behind when it is asked for again.
#include "lib/Eager/Prepared.h"

#include "lib/Core/PortableKey.h"
#include "lib/Core/SizeKey.h"
#include "lib/Eager/AdContextState.h"
#include "lib/Eager/CompileQueue.h"
#include "lib/Eager/CompilerLibrary.h"
#include "lib/Eager/Digest.h"
#include "lib/Eager/DiskPrograms.h"
#include "lib/Eager/ExplainCache.h"
#include "lib/Eager/Extensions.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/SymbolicSizes.h"
#include "lib/Eager/ThreadState.h"

#include <chrono>
#include <optional>

namespace tenferro::eager {

namespace {

std::string_view engineName(uint8_t kind) {
  switch (static_cast<EngineKind>(kind)) {
  case EngineKind::Cpu:
    return "cpu";
  }
  return "unknown";
}

/// What the text of a program has beside its structure.
std::string targetText(const Target &target) {
  return "rules " + std::to_string(compiler::kRuleSetVersion) + "\npipeline " +
         std::to_string(compiler::kPipelineVersion) + "\nlevel x86-64-v" +
         std::to_string(static_cast<int>(target.level)) + "\n";
}

size_t functionBytes(const core::Graph &graph) {
  size_t bytes = sizeof(core::DerivedFunction) + graph.inputs.size() * sizeof(core::ValueType);
  for (const core::GraphOp &op : graph.ops)
    bytes += sizeof op + op.operands.size() * sizeof(uint32_t) + op.results.size() * sizeof(core::ValueType);
  return bytes;
}

compiler::SourcePlace placeOf(const std::source_location &where) {
  return {where.file_name(), static_cast<int>(where.line())};
}

/// Where the user wrote operation `number` of `walk.graph(true)`.
compiler::SourcePlace placeOf(const Walk &walk, uint32_t number) {
  if (number < walk.leadingOperations() || number - walk.leadingOperations() >= walk.operations().size())
    return {};
  return placeOf(walk.operations()[number - walk.leadingOperations()]->where);
}

/// What a program is made from, whenever a tier of it is wanted.
class Source {
public:
  virtual ~Source() = default;
  virtual const core::Graph &graph() const = 0;
  virtual core::Transform transform() const = 0;
  virtual PlaceFunction place() const = 0;
};

class WalkSource final : public Source {
public:
  explicit WalkSource(const Walk &walk) : walk_(walk) {}
  const core::Graph &graph() const override {
    if (!graph_)
      graph_ = walk_.graph(true);
    return *graph_;
  }
  core::Transform transform() const override { return walk_.transform(true); }
  PlaceFunction place() const override {
    return [this](uint32_t number) { return placeOf(walk_, number); };
  }

private:
  const Walk &walk_;
  mutable std::optional<core::Graph> graph_;
};

class GraphSource final : public Source {
public:
  GraphSource(const core::Graph &graph, const core::Transform &transform, const PlaceFunction &place)
      : graph_(graph), transform_(transform), place_(place) {}
  const core::Graph &graph() const override { return graph_; }
  core::Transform transform() const override { return transform_; }
  PlaceFunction place() const override { return place_; }

private:
  const core::Graph &graph_;
  const core::Transform &transform_;
  const PlaceFunction &place_;
};

CompileLedger &ledgerOf(const RuntimeState &state) { return *detail::AdContextAccess::state(*state.adContext).ledger; }

/// Compiles in the calling thread.
runtime::CompiledArtifact compileNow(const RuntimeState &state, const Source &source, Tier tier,
                                     runtime::CpuLevel level) {
  compiler::CompileRequest request;
  request.graph = &source.graph();
  request.transform = source.transform();
  request.level = level;
  request.fuse = tier == Tier::Fused;
  request.place = source.place();
  // Under the background policy the stages are those of the fused program.
  const bool watched = state.policy != CompilePolicy::Background;
  DumpRelay dump(state.dump);
  if (watched)
    request.dump = dump.function();
  const auto start = std::chrono::steady_clock::now();
  runtime::CompiledArtifact artifact = compileProgram(request);
  if (watched)
    dump.rethrow();
  if (tier == Tier::Fused)
    ledgerOf(state).countDone(std::chrono::steady_clock::now() - start);
  return artifact;
}

/// What a tier of a program of `graph` is called on disk. Without families its text holds in every process.
std::string diskKeyOf(const TransformedProgram &program, const CalledFamilies &families, const core::Graph &graph,
                      const core::Transform &transform, Tier tier) {
  if (!families.any())
    return diskKey(program.text, tier);
  Target target;
  target.level = program.level;
  return diskKey(core::portableKey(graph, transform) + targetText(target), tier);
}

/// Takes what was found on disk, if there was anything.
bool adopt(TransformedProgram &program, Tier tier, const CalledFamilies &families, runtime::DiskCache::Entry &found) {
  families.bind(found);
  return program.adopt(tier, found);
}

/// That tier of a program, from disk, or else made in the calling thread.
const runtime::LoadedProgram &compiledTierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                             const Source &source) {
  return program.get(tier, [&] {
    runtime::DiskCache::Entry kept;
    const CalledFamilies families(source.graph());
    if (!state.dump) { // whoever watches the stages wants to see them
      const std::string key = diskKeyOf(program, families, source.graph(), source.transform(), tier);
      // Without code generation it is made faster than turns are taken.
      kept = tier == Tier::Fused ? state.disk->find(key, kDiskPatience) : state.disk->look(key);
    }
    if (adopt(program, tier, families, kept))
      return;
    openCompilerInBackground();
    const runtime::LoadedProgram &made = program.adopt(tier, compileNow(state, source, tier, program.level));
    if (state.policy == CompilePolicy::Background)
      keepBehind(state.disk, std::move(kept), families, program.share(tier));
    else
      keep(kept, families, made);
  });
}

/// The same, of a program that follows from those of other sizes by these. One that was compiled is compiled in every
/// tier: others are compared with it.
const runtime::LoadedProgram &tierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                     const Source &source) {
  if (const runtime::LoadedProgram *known = program.find(tier))
    return *known;
  if (std::shared_ptr<SizeFamily> family = program.follows ? program.family.lock() : nullptr)
    if (auto made = family->make(tier, program.sizes))
      return program.adopt(tier, std::move(made));
  return compiledTierOf(state, program, tier, source);
}

/// The tier that a new program begins with.
Tier firstTier(const RuntimeState &state) noexcept {
  return state.policy == CompilePolicy::Immediate && !threadState.checkNumerics ? Tier::Fused : Tier::OpByOp;
}

/// A structure in the sizes of one program.
struct SizedText {
  std::shared_ptr<SizeFamily> family; ///< null: there is no size, or somebody watches every program being compiled
  std::vector<int64_t> sizes;
};

SizedText familyOf(const RuntimeState &state, const std::string &text) {
  if (state.dump)
    return {};
  core::SizeKey key = core::eraseSizes(text);
  if (key.sizes.empty())
    return {};
  return {detail::AdContextAccess::state(*state.adContext).families.get(key.text), std::move(key.sizes)};
}

/// From the AdContext's cache, else from disk (also the fused program where that is `welcome`), else compiled now in
/// `tier`; `text` is the full key.
std::shared_ptr<TransformedProgram> compiled(const RuntimeState &state, const Source &source, const SizedText &sized,
                                             runtime::CpuLevel level, Tier tier, bool welcome, std::string text) {
  auto &context = detail::AdContextAccess::state(*state.adContext);
  Digest key = digest(std::string_view(text));
  return context.cache.get({key.low, key.high}, [&] {
    auto program = std::shared_ptr<TransformedProgram>(new TransformedProgram(std::move(text), level));
    runtime::DiskCache::Entry fused;
    const CalledFamilies families(source.graph());
    if (welcome && tier != Tier::Fused && !state.dump)
      fused = state.disk->look(diskKeyOf(*program, families, source.graph(), source.transform(), Tier::Fused));
    if (!adopt(*program, Tier::Fused, families, fused))
      compiledTierOf(state, *program, tier, source);
    program->family = sized.family;
    program->sizes = sized.sizes;
    size_t bytes = program->takeGrowth();
    return runtime::Built<TransformedProgram>{std::move(program), bytes};
  });
}

/// Tells the structure of a program that was compiled.
void tell(const RuntimeState &state, const SizedText &sized, const std::shared_ptr<TransformedProgram> &program,
          const Source &source) {
  if (!sized.family->wants(sized.sizes))
    return;
  sized.family->add({program, sized.sizes, std::make_shared<const core::Graph>(source.graph()), source.transform(),
                     functionBytes(source.graph())});
  detail::AdContextAccess::state(*state.adContext).families.trim();
}

/// That tier for these sizes, as programs of other sizes tell it with the help of a probe that is compiled now in
/// `first`; or null.
std::shared_ptr<const runtime::LoadedProgram> makeProbed(const RuntimeState &state, const SizedText &sized,
                                                         runtime::CpuLevel level, Tier tier, Tier first, bool welcome) {
  std::optional<SizeSample> probe = sized.family->wantedProbe(tier, sized.sizes);
  if (!probe)
    return nullptr;
  const PlaceFunction nowhere = placesIn({});
  const GraphSource source(*probe->graph, probe->transform, nowhere);
  try {
    if (!probe->program) {
      Target target;
      target.level = level;
      probe->program = compiled(state, source, {sized.family, probe->sizes}, level, first, welcome,
                                core::structureKey(*probe->graph, probe->transform) + targetText(target));
      sized.family->add(*probe);
    }
    if (!probe->program->find(tier)) {
      if (tier != first)
        return nullptr; // it is compiled behind
      compiledTierOf(state, *probe->program, tier, source);
    }
  } catch (const std::exception &) { // not the user's sizes: they are compiled, as without a probe
    sized.family->giveUp(probe->sizes);
  }
  return sized.family->make(tier, sized.sizes);
}

/// A program that follows from those of other sizes, fused where that is `welcome` and they are, else in `tier`; or
/// null.
std::shared_ptr<TransformedProgram> follow(const RuntimeState &state, const SizedText &sized, runtime::CpuLevel level,
                                           Tier tier, bool welcome, const std::string &text) {
  if (!sized.family)
    return nullptr;
  // What is known in any tier answers before a probe is compiled for another.
  const Tier best = welcome ? Tier::Fused : tier;
  std::shared_ptr<const runtime::LoadedProgram> made;
  Tier got = best;
  auto make = [&](Tier each, bool isProbed) {
    if (made)
      return;
    got = each;
    made = isProbed ? makeProbed(state, sized, level, each, tier, welcome) : sized.family->make(each, sized.sizes);
  };
  for (bool isProbed : {false, true}) {
    make(best, isProbed);
    if (best != tier)
      make(tier, isProbed);
  }
  if (!made)
    return nullptr;
  auto program = std::make_shared<TransformedProgram>(text, level);
  program->family = sized.family;
  program->sizes = sized.sizes;
  program->follows = true;
  program->adopt(got, std::move(made));
  sized.family->follow(program);
  detail::AdContextAccess::state(*state.adContext).families.countMade();
  return program;
}

/// Made for its sizes if it follows from others, else `compiled`.
std::shared_ptr<TransformedProgram> transformed(RuntimeState &state, const Source &source, runtime::CpuLevel level,
                                                Tier tier, bool welcome, std::string text) {
  const SizedText sized = familyOf(state, text);
  if (auto program = follow(state, sized, level, tier, welcome, text))
    return program;
  auto program = compiled(state, source, sized, level, tier, welcome, std::move(text));
  if (sized.family)
    tell(state, sized, program, source);
  return program;
}

/// Where the user wrote the operations of a graph and of what it calls, for a thread that outlives the recording.
std::vector<compiler::SourcePlace> placesOf(const Source &source) {
  size_t count = 1;
  for (const core::GraphOp &op : source.graph().ops)
    count += 1 + (op.callee ? op.callee->graph.ops.size() : 0);
  std::vector<compiler::SourcePlace> places;
  PlaceFunction place = source.place();
  for (uint32_t number = 0; number < count; ++number)
    places.push_back(place(number));
  return places;
}

/// A fused program to be made by the background thread.
class FusedCompile {
public:
  FusedCompile(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program, const Source &source)
      : program_(program), graph_(source.graph()), transform_(source.transform()), dump_(state.dumpGate),
        ledger_(detail::AdContextAccess::state(*state.adContext).ledger), disk_(state.disk) {
    if (dump_)
      places_ = placesOf(source);
  }

  /// A task of the queue.
  bool run(const std::atomic<bool> &abandoned) const noexcept {
    std::shared_ptr<TransformedProgram> program = program_.lock();
    if (!program) {
      ledger_->countDropped();
      return true;
    }
    if (program->find(Tier::Fused)) { // made by a runtime that does not wait for this thread
      program->progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
      return true;
    }
    program->progress.store(TransformedProgram::Progress::Compiling, std::memory_order_relaxed);
    try {
      compile(*program, abandoned);
      if (std::shared_ptr<SizeFamily> family = program->family.lock())
        family->upgrade(Tier::Fused);
    } catch (const std::exception &error) {
      if (abandoned.load(std::memory_order_relaxed)) {
        program->progress.store(TransformedProgram::Progress::Queued, std::memory_order_relaxed);
        return false;
      }
      program->failure = error.what();
      program->progress.store(TransformedProgram::Progress::Failed, std::memory_order_release);
      ledger_->countFailed();
    }
    return true;
  }

private:
  void compile(TransformedProgram &program, const std::atomic<bool> &abandoned) const {
    compiler::CompileRequest request;
    request.graph = &graph_;
    request.transform = transform_;
    request.level = program.level;
    request.background = true;
    if (dump_) {
      request.place = [&](uint32_t number) {
        return number < places_.size() ? places_[number] : compiler::SourcePlace();
      };
      request.dump = [&](compiler::Stage stage, std::string_view text) { dump_->call(stage, text); };
    }
    runtime::DiskCache::Entry kept;
    const CalledFamilies families(graph_);
    if (!dump_) { // who watches sees every stage once
      request.abandoned = &abandoned;
      kept =
          disk_->find(diskKeyOf(program, families, graph_, transform_, Tier::Fused), kDiskPatienceBehind, &abandoned);
    }
    if (adopt(program, Tier::Fused, families, kept)) {
      program.progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const runtime::LoadedProgram &loaded = program.adopt(Tier::Fused, compileProgram(request));
    const auto took = std::chrono::steady_clock::now() - start;
    program.compileSeconds = std::chrono::duration<double>(took).count();
    program.progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
    ledger_->countDone(took);
    keep(kept, families, loaded);
  }

  std::weak_ptr<TransformedProgram> program_;
  core::Graph graph_;
  core::Transform transform_;
  std::vector<compiler::SourcePlace> places_;
  std::shared_ptr<DumpGate> dump_;
  std::shared_ptr<CompileLedger> ledger_;
  std::shared_ptr<runtime::DiskCache> disk_;
};

/// Counts that a program without a fused one was asked for, and has it compiled if that was often enough.
void askForFused(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program, const Source &source) {
  using Progress = TransformedProgram::Progress;
  const uint32_t asks = program->asks.fetch_add(1, std::memory_order_relaxed) + 1;
  if (asks < kAsksBeforeCompile && !state.dumpGate)
    return;
  Progress none = Progress::None;
  if (!program->progress.compare_exchange_strong(none, Progress::Queued, std::memory_order_relaxed))
    return;
  auto job = std::make_shared<const FusedCompile>(state, program, source);
  const std::shared_ptr<CompileLedger> &ledger = detail::AdContextAccess::state(*state.adContext).ledger;
  if (!CompileQueue::get().add(ledger, [job](const auto &abandoned) { return job->run(abandoned); }))
    program->progress.store(Progress::None, std::memory_order_relaxed); // the process ends, or is short of threads
}

/// The same of a program that follows from others: those are compiled. False if no fused program will come of it.
bool askForFusedSizes(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program,
                      const Source &source) {
  using Progress = TransformedProgram::Progress;
  std::shared_ptr<SizeFamily> family = program->follows ? program->family.lock() : nullptr;
  const std::vector<SizeSample> missing =
      family ? family->missing(Tier::Fused, program->sizes) : std::vector<SizeSample>();
  bool hopeless = missing.empty();
  for (const SizeSample &sample : missing)
    hopeless |= sample.program->progress.load(std::memory_order_acquire) == Progress::Failed;
  if (!hopeless) {
    for (const SizeSample &sample : missing)
      askForFused(state, sample.program, GraphSource(*sample.graph, sample.transform, placesIn({})));
    return true;
  }
  if (program->progress.load(std::memory_order_acquire) == Progress::Failed)
    return false;
  askForFused(state, program, source);
  return true;
}

/// The full key of a transformed program, and that with the engine's kind.
struct KeyTexts {
  std::string transformed;
  std::shared_ptr<const std::string> prepared;
};

/// `derived` lacks its activity; it and the program's derivative are the same function of their leaves.
runtime::Built<const PreparedDerivative> buildPrepared(RuntimeState &state, const Source &source, const Target &target,
                                                       KeyTexts texts, std::shared_ptr<core::DerivedFunction> derived) {
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

/// Makes the fused program from those of other sizes, if they are there.
bool followFused(TransformedProgram &program) {
  std::shared_ptr<SizeFamily> family = program.follows ? program.family.lock() : nullptr;
  auto made = family ? family->make(Tier::Fused, program.sizes) : nullptr;
  if (!made)
    return false;
  program.adopt(Tier::Fused, std::move(made));
  return true;
}

/// What runs now of an entry that is not settled, under the runtime's policy.
const runtime::LoadedProgram &choose(RuntimeState &state, const runtime::CacheKey &key, const PreparedDerivative &entry,
                                     const Source &source) {
  TransformedProgram &program = *entry.program;
  Tier tier = firstTier(state);
  bool isSettled = !threadState.checkNumerics;
  if (state.policy == CompilePolicy::Background && isSettled) {
    if (program.find(Tier::Fused) || followFused(program))
      tier = Tier::Fused;
    else
      isSettled = !askForFusedSizes(state, entry.program, source);
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
                      std::shared_ptr<const PreparedDerivative> entry, const Source &source) {
  const runtime::LoadedProgram *loaded = entry->settled.load(std::memory_order_acquire);
  if (!loaded || threadState.checkNumerics) [[unlikely]]
    loaded = &choose(state, key, *entry, source);
  else
    state.runs[static_cast<size_t>(entry->settledTier.load(std::memory_order_relaxed))].fetch_add(
        1, std::memory_order_relaxed);
  return {std::move(entry), loaded};
}

} // namespace

namespace {

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

PlaceFunction placesIn(std::span<const std::source_location> locations) {
  return [locations](uint32_t number) {
    return number < locations.size() ? placeOf(locations[number]) : compiler::SourcePlace();
  };
}

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
