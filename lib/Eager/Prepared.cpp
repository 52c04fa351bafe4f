// Looking a derivative up, making it on a miss, and explaining what was found.
#include "lib/Eager/Prepared.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/CompilerLibrary.h"
#include "lib/Eager/Digest.h"
#include "lib/Eager/Extensions.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadOwned.h"
#include "lib/Eager/ThreadState.h"
#include "runtime/kernels/KernelTable.h"

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

runtime::Built<const TransformedProgram> transformProgram(const RuntimeState &state, const core::Graph &graph,
                                                          core::Transform transform, const Target &target,
                                                          std::string text) {
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform = std::move(transform);
  request.level = target.level;
  request.fuse = target.fuse;
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
                                                      core::Transform transform, const Target &target, std::string text) {
  Digest key = digest(std::string_view(text));
  return detail::AdContextAccess::state(*state.adContext).cache.get({key.low, key.high}, [&] {
    return transformProgram(state, graph, std::move(transform), target, std::move(text));
  });
}

/// `derived` lacks its activity; it and the program's derivative are the same function of their leaves.
runtime::Built<const PreparedDerivative> buildPrepared(RuntimeState &state, const core::Graph &graph,
                                                       core::Transform transform, const Target &target, std::string text,
                                                       std::shared_ptr<core::DerivedFunction> derived) {
  auto prepared = std::make_shared<PreparedDerivative>();
  prepared->text = text + "engine " + std::string(engineName(target.engineKind)) + "\n";
  prepared->program = transformed(state, graph, std::move(transform), target, std::move(text));
  const runtime::LoadedProgram &loaded = prepared->loaded();
  derived->active = loaded.active();
  prepared->derivedDigest = digest(std::string_view(core::structureKey(derived->graph, derived->transform)));
  for (size_t i = 0; i < loaded.resultCount(); ++i)
    prepared->resultTypes.push_back(loaded.resultType(i));
  size_t bytes = sizeof *prepared + prepared->text.size() + functionBytes(derived->graph) + loaded.retainedBytes() +
                 prepared->resultTypes.size() * sizeof(core::ValueType);
  prepared->derived = std::move(derived);
  return {std::move(prepared), bytes};
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

/// Components two keys share, place by place.
size_t sharedLines(const std::vector<std::string_view> &a, const std::vector<std::string_view> &b) {
  size_t shared = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    shared += a[i] == b[i];
  return shared;
}

std::string keyName(const runtime::CacheKey &key) {
  char digits[33] = {};
  for (int i = 0; i < 16; ++i) {
    digits[i] = "0123456789abcdef"[key.high >> (60 - 4 * i) & 15];
    digits[16 + i] = "0123456789abcdef"[key.low >> (60 - 4 * i) & 15];
  }
  return digits;
}

std::string quoted(const std::vector<std::string_view> &lines, size_t i) {
  return i < lines.size() ? "'" + std::string(lines[i]) + "'" : std::string("nothing more");
}

/// Why no kept entry answers `text`.
std::string explainMiss(const PreparedCache &cache, const runtime::CacheKey &key, const std::string &text) {
  std::string explanation = "miss " + keyName(key) + "\n";
  std::vector<std::string_view> wanted = linesOf(text);
  runtime::CacheKey nearestKey;
  std::string nearest;
  size_t best = 0, entries = 0;
  cache.forEach([&](const runtime::CacheKey &other, const PreparedDerivative &entry) {
    size_t shared = sharedLines(wanted, linesOf(entry.text));
    if (!entries++ || shared > best || (shared == best && entry.text < nearest)) {
      nearest = entry.text;
      nearestKey = other;
      best = shared;
    }
  });
  if (!entries)
    return explanation + "the cache had no entry\n" + text;
  std::vector<std::string_view> lines = linesOf(nearest);
  size_t first = 0;
  while (first < std::min(wanted.size(), lines.size()) && wanted[first] == lines[first])
    ++first;
  if (nearest == text)
    explanation +=
        "the nearest entry " + keyName(nearestKey) + " is the same program under another set of kept values\n";
  else
    explanation += "nearest entry " + keyName(nearestKey) + ", first difference in component " +
                   std::to_string(first + 1) + ": asked for " + quoted(wanted, first) + ", kept is " +
                   quoted(lines, first) + "\n";
  return explanation + text;
}

/// What the last miss of this thread found; a hit needs no text of its own.
struct MissExplanation {
  std::string text;
};

} // namespace

namespace {

/// Looks `key` up, with the trace of it that `explainCache` reads. On a miss `build(text)` makes the entry of the full key that
/// `structure()` begins.
template <typename Structure, typename Build>
std::shared_ptr<const PreparedDerivative> lookUp(RuntimeState &state, const runtime::CacheKey &key, const Target &target,
                                                 Structure &&structure, Build &&build) {
  ThreadState &thread = threadState;
  thread.lookupRuntime = state.id;
  thread.lookupKey = key;
  thread.lookupHit = true;
  return state.prepared.get(key, [&] {
    threadState.lookupHit = false;
    std::string text = structure() + targetText(target);
    if (auto *miss = ThreadOwned<MissExplanation>::get())
      miss->text = explainMiss(state.prepared, key, text + "engine " + std::string(engineName(target.engineKind)) + "\n");
    return build(std::move(text));
  });
}

} // namespace

std::shared_ptr<const PreparedDerivative> prepare(RuntimeState &state, const Walk &walk, const Target &target) {
  core::Graph graph;
  return lookUp(
      state, walk.key(), target,
      [&] {
        graph = walk.graph(true);
        return core::structureKey(graph, walk.transform(true));
      },
      [&](std::string text) {
        auto derived = std::make_shared<core::DerivedFunction>();
        derived->graph = walk.graph(false);
        derived->transform = walk.transform(false);
        return buildPrepared(state, graph, walk.transform(true), target, std::move(text), std::move(derived));
      });
}

std::shared_ptr<const PreparedDerivative> prepareProgram(RuntimeState &state,
                                                         const std::shared_ptr<const core::DerivedFunction> &program,
                                                         const std::string &text, const Digest &structure,
                                                         const Target &target) {
  const uint64_t words[] = {structure.low, structure.high,
                            static_cast<uint64_t>(target.fuse) | static_cast<uint64_t>(target.level) << 8 |
                                static_cast<uint64_t>(target.engineKind) << 16,
                            static_cast<uint64_t>(compiler::kRuleSetVersion) << 32 |
                                static_cast<uint64_t>(compiler::kPipelineVersion)};
  Digest hashed = digest(words);
  return lookUp(
      state, {hashed.low, hashed.high}, target, [&] { return text; },
      [&](std::string full) {
        return buildPrepared(state, program->graph, program->transform, target, std::move(full),
                             std::make_shared<core::DerivedFunction>(*program));
      });
}

DerivedCallee derivedCallee(RuntimeState &state, core::Graph graph, core::Transform transform, runtime::CpuLevel level) {
  Target target;
  target.level = level;
  target.fuse = false;
  std::string text = core::structureKey(graph, transform) + targetText(target);
  std::shared_ptr<const TransformedProgram> program = transformed(state, graph, transform, target, std::move(text));
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

std::string explainLastLookup(RuntimeState &state) {
  const ThreadState &thread = threadState;
  if (thread.lookupRuntime != state.id)
    return "this thread has looked nothing up in this runtime\n";
  if (!thread.lookupHit) {
    const auto *miss = ThreadOwned<MissExplanation>::get();
    return miss ? miss->text : "miss " + keyName(thread.lookupKey) + "\n";
  }
  std::string explanation = "hit " + keyName(thread.lookupKey) + "\n";
  bool found = false;
  state.prepared.forEach([&](const runtime::CacheKey &key, const PreparedDerivative &entry) {
    if (key == thread.lookupKey) {
      explanation += entry.text;
      found = true;
    }
  });
  return found ? explanation : explanation + "the entry has left the cache since\n";
}

} // namespace tenferro::eager
