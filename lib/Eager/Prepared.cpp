// Looking a derivative up, making it on a miss, and explaining what was found.
#include "lib/Eager/Prepared.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/CompilerLibrary.h"
#include "lib/Eager/Digest.h"
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

runtime::Built<const TransformedProgram> transformProgram(const RuntimeState &state, const Walk &walk,
                                                          const core::Graph &graph, const Target &target,
                                                          std::string text) {
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform = walk.transform(true);
  request.level = target.level;
  request.fuse = target.fuse;
  DumpRelay dump(state.dump);
  request.dump = dump.function();
  runtime::CompiledArtifact artifact = compileProgram(request);
  dump.rethrow();
  core::Expected<std::shared_ptr<const runtime::LoadedProgram>> loaded =
      runtime::LoadedProgram::load(std::move(artifact), runtime::KernelTable::forLevel(target.level));
  if (!loaded)
    raise(std::move(loaded.failure()));
  auto program = std::make_shared<TransformedProgram>();
  program->text = std::move(text);
  program->loaded = std::move(*loaded);
  size_t bytes = sizeof *program + program->text.size() + program->loaded->retainedBytes();
  return {std::move(program), bytes};
}

runtime::Built<const PreparedDerivative> buildPrepared(RuntimeState &state, const Walk &walk, const Target &target,
                                                       const core::Graph &graph, std::string text) {
  auto prepared = std::make_shared<PreparedDerivative>();
  Digest key = digest(std::string_view(text));
  prepared->text = text + "engine " + std::string(engineName(target.engineKind)) + "\n";
  prepared->program = detail::AdContextAccess::state(*state.adContext).cache.get({key.low, key.high}, [&] {
    return transformProgram(state, walk, graph, target, std::move(text));
  });
  const runtime::LoadedProgram &loaded = prepared->loaded();
  auto derived = std::make_shared<core::DerivedFunction>();
  derived->graph = walk.graph(false);
  derived->transform = walk.transform(false);
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

std::shared_ptr<const PreparedDerivative> prepare(RuntimeState &state, const Walk &walk, const Target &target) {
  ThreadState &thread = threadState;
  thread.lookupRuntime = state.id;
  thread.lookupKey = walk.key();
  thread.lookupHit = true;
  return state.prepared.get(walk.key(), [&] {
    threadState.lookupHit = false;
    core::Graph graph = walk.graph(true);
    std::string text = core::structureKey(graph, walk.transform(true)) + targetText(target);
    if (auto *miss = ThreadOwned<MissExplanation>::get())
      miss->text =
          explainMiss(state.prepared, walk.key(), text + "engine " + std::string(engineName(target.engineKind)) + "\n");
    return buildPrepared(state, walk, target, graph, std::move(text));
  });
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
