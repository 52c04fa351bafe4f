// Looking a derivative up, and making it on a miss.
#include "lib/Eager/Prepared.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/CompilerLibrary.h"
#include "lib/Eager/Digest.h"
#include "lib/Eager/ExplainCache.h"
#include "lib/Eager/Extensions.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadState.h"
#include "runtime/kernels/KernelTable.h"

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
         std::to_string(static_cast<int>(target.level)) +
         (target.fuse ? "\ntier 1 (fused)\n" : "\ntier 0 (op by op)\n");
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

runtime::Built<const TransformedProgram> transformProgram(const RuntimeState &state, const core::Graph &graph,
                                                          core::Transform transform, const Target &target,
                                                          const PlaceFunction &place, std::string text) {
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform = std::move(transform);
  request.level = target.level;
  request.fuse = target.fuse;
  request.place = place;
  DumpRelay dump(state.dump);
  request.dump = dump.function();
  runtime::CompiledArtifact artifact = compileProgram(request);
  dump.rethrow();
  core::Expected<std::shared_ptr<const runtime::LoadedProgram>> loaded =
      runtime::LoadedProgram::load(std::move(artifact), runtime::KernelTable::forLevel(target.level), resolveCallback);
  if (!loaded)
    raise(std::move(loaded.failure()));
  auto program = std::make_shared<TransformedProgram>();
  program->text = std::move(text);
  program->loaded = std::move(*loaded);
  size_t bytes = sizeof *program + program->text.size() + program->loaded->retainedBytes();
  return {std::move(program), bytes};
}

/// From the AdContext's cache, else compiled now; `text` is the full key.
std::shared_ptr<const TransformedProgram> transformed(RuntimeState &state, const core::Graph &graph,
                                                      core::Transform transform, const Target &target,
                                                      const PlaceFunction &place, std::string text) {
  Digest key = digest(std::string_view(text));
  return detail::AdContextAccess::state(*state.adContext).cache.get({key.low, key.high}, [&] {
    return transformProgram(state, graph, std::move(transform), target, place, std::move(text));
  });
}

/// The full key of a transformed program, and that with the engine's kind.
struct KeyTexts {
  std::string transformed;
  std::shared_ptr<const std::string> prepared;
};

/// `derived` lacks its activity; it and the program's derivative are the same function of their leaves.
runtime::Built<const PreparedDerivative> buildPrepared(RuntimeState &state, const core::Graph &graph,
                                                       core::Transform transform, const Target &target,
                                                       const PlaceFunction &place, KeyTexts texts,
                                                       std::shared_ptr<core::DerivedFunction> derived) {
  auto prepared = std::make_shared<PreparedDerivative>();
  prepared->text = std::move(texts.prepared);
  prepared->program = transformed(state, graph, std::move(transform), target, place, std::move(texts.transformed));
  const runtime::LoadedProgram &loaded = prepared->loaded();
  derived->active = loaded.active();
  prepared->derivedDigest = digest(std::string_view(core::structureKey(derived->graph, derived->transform)));
  for (size_t i = 0; i < loaded.resultCount(); ++i)
    prepared->resultTypes.push_back(loaded.resultType(i));
  size_t bytes = sizeof *prepared + prepared->text->size() + functionBytes(derived->graph) + loaded.retainedBytes() +
                 prepared->resultTypes.size() * sizeof(core::ValueType);
  prepared->derived = std::move(derived);
  return {std::move(prepared), bytes};
}

} // namespace

namespace {

/// Looks `key` up, with the trace of it that `explainCache` reads. On a miss `build(texts)` makes the entry of the full
/// key that `structure()` begins.
template <typename Structure, typename Build>
std::shared_ptr<const PreparedDerivative> lookUp(RuntimeState &state, const runtime::CacheKey &key, const Target &target,
                                                 PreparedCache::Memo &memo, Structure &&structure, Build &&build) {
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

std::shared_ptr<const PreparedDerivative> prepare(RuntimeState &state, Workspace &workspace, const Target &target) {
  const Walk &walk = workspace.walk;
  std::optional<core::Graph> graph;
  return lookUp(
      state, walk.key(), target, workspace.memo,
      [&] {
        graph = walk.graph(true);
        return core::structureKey(*graph, walk.transform(true));
      },
      [&](KeyTexts texts) {
        auto derived = std::make_shared<core::DerivedFunction>();
        derived->graph = walk.graph(false);
        derived->transform = walk.transform(false);
        return buildPrepared(
            state, *graph, walk.transform(true), target, [&](uint32_t number) { return placeOf(walk, number); },
            std::move(texts), std::move(derived));
      });
}

std::shared_ptr<const PreparedDerivative> prepareProgram(RuntimeState &state,
                                                         const std::shared_ptr<const core::DerivedFunction> &program,
                                                         const std::string &text, const Digest &structure,
                                                         const Target &target, const PlaceFunction &place,
                                                         PreparedCache::Memo &memo) {
  const uint64_t words[] = {structure.low, structure.high,
                            static_cast<uint64_t>(target.fuse) | static_cast<uint64_t>(target.level) << 8 |
                                static_cast<uint64_t>(target.engineKind) << 16,
                            static_cast<uint64_t>(compiler::kRuleSetVersion) << 32 |
                                static_cast<uint64_t>(compiler::kPipelineVersion)};
  Digest hashed = digest(words);
  return lookUp(
      state, {hashed.low, hashed.high}, target, memo, [&] { return text; },
      [&](KeyTexts texts) {
        return buildPrepared(state, program->graph, program->transform, target, place, std::move(texts),
                             std::make_shared<core::DerivedFunction>(*program));
      });
}

DerivedCallee derivedCallee(RuntimeState &state, core::Graph graph, core::Transform transform, runtime::CpuLevel level,
                            const PlaceFunction &place) {
  Target target;
  target.level = level;
  target.fuse = false;
  std::string text = core::structureKey(graph, transform) + targetText(target);
  std::shared_ptr<const TransformedProgram> program =
      transformed(state, graph, transform, target, place, std::move(text));
  auto function = std::make_shared<core::DerivedFunction>();
  function->graph = std::move(graph);
  function->transform = std::move(transform);
  function->active = program->loaded->active();
  DerivedCallee callee;
  for (size_t i = 0; i < program->loaded->resultCount(); ++i)
    callee.results.push_back(program->loaded->resultType(i));
  callee.function = std::move(function);
  return callee;
}

} // namespace tenferro::eager
