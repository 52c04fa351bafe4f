// Compares the text of structure keys, component by component.
#include "lib/Eager/Explain/ExplainCache.h"

#include "lib/Eager/Programs/FusedCompile.h"
#include "lib/Eager/Programs/SymbolicSizes.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadOwned.h"
#include "lib/Eager/ThreadState.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace tenferro::eager {

namespace {

using Lines = std::vector<std::string_view>;

Lines split(std::string_view text, char separator) {
  Lines parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

/// A line of a key: "sum (2) axes=[0] : f64[]", "input f64[3]", "level x86-64-v3".
struct Component {
  std::string_view head;  ///< "sum"
  std::string_view value; ///< "(2) axes=[0]", or all the rest of a line that has no type
  std::string_view type;  ///< "f64[]"; of an input too
};

Component parse(std::string_view line) {
  Component component;
  size_t space = line.find(' ');
  component.head = line.substr(0, space);
  if (space == std::string_view::npos)
    return component;
  std::string_view rest = line.substr(space + 1);
  if (component.head == "input") {
    component.type = rest;
    return component;
  }
  size_t colon = rest.find(" : ");
  component.value = rest.substr(0, colon);
  if (colon != std::string_view::npos)
    component.type = rest.substr(colon + 3);
  return component;
}

/// Lines that are no operation: what stands behind and around those.
bool isOperation(const Component &component) { return component.type.data() && component.head != "input"; }

std::string asked(std::string what, std::string_view wanted, std::string_view got) {
  return what + ": asked for " + std::string(wanted) + ", kept is " + std::string(got);
}

/// "dtype of input 0: ..." or "shape of input 0: ...".
std::string typeDifference(const std::string &of, std::string_view wanted, std::string_view got) {
  bool dtype = wanted.substr(0, wanted.find('[')) != got.substr(0, got.find('['));
  return asked((dtype ? "dtype of " : "shape of ") + of, wanted, got);
}

/// The parts of "(2) axes=[0] keep=1": operands, then attributes by name.
std::string operationDifference(const std::string &of, std::string_view wanted, std::string_view got) {
  size_t wantedEnd = wanted.find(')'), gotEnd = got.find(')');
  if (wanted.substr(0, wantedEnd) != got.substr(0, gotEnd))
    return asked("operands of " + of, wanted, got);
  // Attributes stand in the same order; the first that differs has its '=' before the first difference.
  size_t first =
      static_cast<size_t>(std::mismatch(wanted.begin(), wanted.end(), got.begin(), got.end()).first - wanted.begin());
  size_t equals = wanted.rfind('=', std::min(first, wanted.size()));
  size_t start = equals == std::string_view::npos ? 0 : wanted.rfind(' ', equals) + 1;
  std::string_view name = equals == std::string_view::npos ? "attributes" : wanted.substr(start, equals - start);
  auto valueOf = [&](std::string_view text) {
    size_t from = start + name.size() + 1;
    size_t end = text.find('=', from);
    end = end == std::string_view::npos ? text.size() : text.rfind(' ', end);
    return from < end ? text.substr(from, end - from) : std::string_view("none");
  };
  return asked("attribute " + std::string(name) + " of " + of, valueOf(wanted), valueOf(got));
}

std::string transformDifference(const Component &wanted, const Component &got) {
  if (wanted.head != got.head)
    return asked("transform", wanted.head, got.head);
  auto wrt = [](std::string_view value) { return value.substr(0, value.find(')') + 1); };
  if (wrt(wanted.value) != wrt(got.value))
    return asked("wrt set", wrt(wanted.value), wrt(got.value));
  return asked("seed", wanted.value.ends_with("seed ones") ? "ones" : "a cotangent",
               got.value.ends_with("seed ones") ? "ones" : "a cotangent");
}

bool isTransform(const Component &component) {
  return component.head == "vjp" || component.head == "jvp" || component.head == "forward";
}

/// Of two "custom 'name' rule version 2".
std::string customDifference(std::string_view wanted, std::string_view got) {
  constexpr std::string_view kVersion = " rule version ";
  size_t at = wanted.find(kVersion), other = got.find(kVersion);
  if (at == std::string_view::npos || other == std::string_view::npos || wanted.substr(0, at) != got.substr(0, other))
    return asked("function with rules", wanted, got);
  return asked("rule version of " + std::string(wanted.substr(0, at)), wanted.substr(at + kVersion.size()),
               got.substr(other + kVersion.size()));
}

/// What a component of the target is called.
std::string titleOf(std::string_view head) {
  if (head == "level")
    return "CPU level";
  if (head == "rules" || head == "rule")
    return "rule version";
  if (head == "pipeline")
    return "pipeline version";
  if (head == "saved")
    return "kept values";
  if (head == "engine")
    return "engine kind";
  return std::string(head);
}

std::string_view orNothing(std::string_view line) { return line.empty() || line == "end" ? "nothing more" : line; }

/// How many derivatives and functions with rules are called from a program: each has a section of its own in a key.
std::string calleesText(const Lines &lines) {
  return std::to_string(
      std::count_if(lines.begin(), lines.end(), [](std::string_view line) { return line.starts_with("function "); }));
}

/// How many lines from `first` on are inputs, one after the other.
size_t inputsFrom(const Lines &lines, size_t first) {
  size_t end = first;
  while (end < lines.size() && parse(lines[end]).head == "input")
    ++end;
  return end - first;
}

std::string bytesText(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  return bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes >> 20) + " MiB";
}

std::string counted(uint64_t count, const char *one, const char *many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string statsText(const char *cache, const CacheStats &stats, const CacheLimits &limits) {
  return std::string(cache) + ": " + std::to_string(stats.entries) + " of at most " +
         counted(limits.maxEntries, "entry", "entries") + ", " + bytesText(stats.retainedBytes) + " of at most " +
         bytesText(limits.maxRetainedBytes) + ", " + counted(stats.hits, "hit", "hits") + ", " +
         counted(stats.misses, "miss", "misses") + ", " + counted(stats.evictions, "eviction", "evictions") + "\n";
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  return text;
}

std::string compilesText(const CompileStats &stats) {
  return "fused programs: " + std::to_string(stats.done) + " compiled" +
         (stats.done ? " in " + milliseconds(stats.seconds) + " (the longest in " + milliseconds(stats.longestSeconds) + ")"
                     : "") +
         ", " + std::to_string(stats.queued) + " queued, " + std::to_string(stats.inFlight) + " in flight, " +
         std::to_string(stats.failed) + " failed, " + std::to_string(stats.dropped) + " dropped; " +
         counted(stats.runsFused, "run", "runs") + " fused, " + std::to_string(stats.runsOpByOp) + " op by op\n";
}

std::string sizesText(const SizeStats &stats) {
  return "sizes: " + counted(stats.symbolic, "symbolic structure", "symbolic structures") + ", " +
         std::to_string(stats.fixed) + " fixed, " + counted(stats.made, "program made", "programs made") + "\n";
}

/// How the program of an entry depends on its sizes, if the structure was met in others.
std::string sizesText(const PreparedDerivative &entry) {
  std::shared_ptr<SizeFamily> family = entry.program->family.lock();
  std::string text = family ? family->describe(entry.program->sizes) : std::string();
  return text.empty() ? text : text + "\n";
}

/// Which program answers for an entry, and why no better one does.
std::string tierText(const PreparedDerivative &entry, CompilePolicy policy) {
  using Progress = TransformedProgram::Progress;
  const TransformedProgram &program = *entry.program;
  const Progress progress = program.progress.load(std::memory_order_acquire);
  const std::string kept = program.isFromDisk(Tier::OpByOp) ? "runs op by op, read from disk" : "runs op by op";
  if (policy == CompilePolicy::Never)
    return kept + ", as the policy says\n";
  if (program.find(Tier::Fused))
    return std::string(program.isFromDisk(Tier::Fused) ? "runs fused, read from disk" : "runs fused") +
           (progress == Progress::Ready && program.compileSeconds > 0
                               ? ", compiled in the background in " + milliseconds(program.compileSeconds)
                               : std::string()) +
           "\n";
  switch (progress) {
  case Progress::Queued:
    return kept + "; the fused program waits to be compiled\n";
  case Progress::Compiling:
    return kept + "; the fused program is being compiled\n";
  case Progress::Failed:
    return kept + "; the fused program failed to compile: " + program.failure + "\n";
  default:
    if (program.follows)
      return kept + "; the fused program will be made from those of other sizes\n";
    return kept + "; asked for " + counted(program.asks.load(std::memory_order_relaxed), "time", "times") +
           ", compiled when it is asked for " + std::to_string(kAsksBeforeCompile) + " times\n";
  }
}

std::string diskText(const runtime::DiskCache &disk) {
  if (!disk.isOn())
    return "disk cache: off\n";
  const DiskCacheStats stats = disk.stats();
  return "disk cache: " + disk.directory() + ", " + counted(stats.hits, "hit", "hits") + ", " +
         counted(stats.misses, "miss", "misses") + ", " + counted(stats.writes, "write", "writes") + ", " +
         std::to_string(stats.rejected) + " rejected, " + std::to_string(stats.skipped) + " not kept, " +
         counted(stats.failures, "failed write", "failed writes") + "\n";
}

std::string keyName(const runtime::CacheKey &key) {
  char digits[33] = {};
  for (int i = 0; i < 16; ++i) {
    digits[i] = "0123456789abcdef"[key.high >> (60 - 4 * i) & 15];
    digits[16 + i] = "0123456789abcdef"[key.low >> (60 - 4 * i) & 15];
  }
  return digits;
}

struct KeyText {
  runtime::CacheKey key;
  std::shared_ptr<const std::string> text;
};

/// A miss, and what there was when it happened.
struct Miss {
  uint64_t runtime = 0;
  KeyText wanted;
  std::vector<KeyText> entries;
};

std::string nearestText(const Miss &miss) {
  if (miss.entries.empty())
    return "the cache had no entry\n";
  const KeyText *nearest = nullptr;
  double best = -1;
  for (const KeyText &entry : miss.entries) {
    double shared = similarity(*miss.wanted.text, *entry.text);
    if (shared > best || (shared == best && *entry.text < *nearest->text)) {
      nearest = &entry;
      best = shared;
    }
  }
  std::string difference = firstDifference(*miss.wanted.text, *nearest->text);
  return "nearest entry " + keyName(nearest->key) +
         ", first difference: " + (difference.empty() ? "none but which values are kept" : difference) + "\n";
}

} // namespace

double similarity(std::string_view a, std::string_view b) {
  Lines left = split(a, '\n'), right = split(b, '\n');
  size_t most = std::min(left.size(), right.size()), front = 0, back = 0, equal = 0;
  auto agree = [](std::string_view x, std::string_view y) {
    Component one = parse(x), other = parse(y);
    if (one.head != other.head)
      return false;
    return !isOperation(one) || one.value == other.value;
  };
  while (front < most && agree(left[front], right[front]))
    ++front;
  while (front + back < most && agree(left[left.size() - 1 - back], right[right.size() - 1 - back]))
    ++back;
  for (size_t i = 0; i < most; ++i)
    equal += left[i] == right[i];
  const auto total = static_cast<double>(left.size() + right.size());
  // What is equal altogether decides between equals.
  return (2. * static_cast<double>(front + back) + 1e-3 * static_cast<double>(equal)) / total;
}

std::string firstDifference(std::string_view askedText, std::string_view keptText) {
  Lines wanted = split(askedText, '\n'), kept = split(keptText, '\n');
  size_t first = 0;
  while (first < std::min(wanted.size(), kept.size()) && wanted[first] == kept[first])
    ++first;
  if (first == wanted.size() && first == kept.size())
    return {};
  std::string_view line = first < wanted.size() ? wanted[first] : std::string_view(),
                   other = first < kept.size() ? kept[first] : std::string_view();
  Component one = parse(line), two = parse(other);
  size_t inputs = 0, operations = 0; // of this program: those it calls have sections of their own before it
  for (size_t i = 0; i < first; ++i) {
    Component before = parse(wanted[i]);
    if (isTransform(before))
      inputs = operations = 0;
    inputs += before.head == "input";
    operations += isOperation(before);
  }
  if (one.head != two.head && (one.head == "function" || two.head == "function"))
    return asked("derivatives and functions with rules that the program calls", calleesText(wanted), calleesText(kept));
  if (isTransform(one) && isTransform(two))
    return transformDifference(one, two);
  if (one.head == "input" && two.head == "input")
    return typeDifference("input " + std::to_string(inputs), one.type, two.type);
  if (one.head == "input" || two.head == "input")
    return asked("number of inputs, kept values among them", std::to_string(inputs + inputsFrom(wanted, first)),
                 std::to_string(inputs + inputsFrom(kept, first)));
  if (isOperation(one) && isOperation(two)) {
    if (one.head != two.head)
      return asked("operation " + std::to_string(operations), one.head, two.head);
    std::string of = "operation " + std::to_string(operations) + " (" + std::string(one.head) + ")";
    return one.value != two.value ? operationDifference(of, one.value, two.value)
                                  : typeDifference("the result of " + of, one.type, two.type);
  }
  if (isOperation(one) || isOperation(two))
    return asked("number of operations", orNothing(line), orNothing(other));
  if (one.head == "custom" && two.head == "custom")
    return customDifference(one.value, two.value);
  if (one.head == two.head)
    return asked(titleOf(one.head), one.value, two.value);
  return asked(titleOf(one.head.empty() ? two.head : one.head), orNothing(line), orNothing(other));
}

void noteMiss(RuntimeState &state, const runtime::CacheKey &key, std::shared_ptr<const std::string> text) {
  Miss *miss = ThreadOwned<Miss>::get();
  if (!miss)
    return;
  miss->runtime = state.id;
  miss->wanted = {key, std::move(text)};
  miss->entries.clear();
  state.prepared.forEach([&](const runtime::CacheKey &other, const PreparedDerivative &entry) {
    if (!entry.program->follows) // as their like, which is there
      miss->entries.push_back({other, entry.text});
  });
}

std::string explainCache(RuntimeState &state) {
  const ThreadState &thread = threadState;
  std::string statistics = statsText("prepared derivatives", state.prepared.stats(), state.prepared.limits()) +
                           statsText("ad transforms", state.adContext->stats(), state.adContext->limits()) +
                           compilesText(state.runtime.cacheStats().compiles) + sizesText(state.runtime.cacheStats().sizes) +
                           diskText(*state.disk);
  if (thread.lookupRuntime != state.id)
    return (thread.lookupRuntime ? "the last look-up of this thread was in another runtime\n"
                                 : "this thread has looked nothing up\n") +
           statistics;
  const Miss *miss = ThreadOwned<Miss>::get();
  const bool hasMiss = miss && miss->runtime == state.id;
  std::string tier, text;
  state.prepared.forEach([&](const runtime::CacheKey &key, const PreparedDerivative &entry) {
    if (!(key == thread.lookupKey))
      return;
    tier = tierText(entry, state.policy) + sizesText(entry);
    text = *entry.text;
  });
  if (!thread.lookupHit)
    return "miss " + keyName(thread.lookupKey) + "\n" + (hasMiss ? nearestText(*miss) : "") + tier + statistics +
           (hasMiss ? "asked for\n" + *miss->wanted.text : "");
  return "hit " + keyName(thread.lookupKey) + "\n" +
         (hasMiss ? "last miss " + keyName(miss->wanted.key) + ": " + nearestText(*miss) : "") + tier + statistics +
         (text.empty() ? "the entry has left the cache since\n" : "found\n" + text);
}

} // namespace tenferro::eager
