// The disk cache as the eager front end uses it: where it lies, what build it belongs to, and which programs may be
// kept.
#ifndef TENFERRO_EAGER_PROGRAMS_DISKPROGRAMS_H
#define TENFERRO_EAGER_PROGRAMS_DISKPROGRAMS_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "runtime/cache/DiskCache.h"
#include "tenferro/EagerRuntime.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_set>

namespace tenferro::eager {

/// The folder of compiled programs: of the options, else of TENFERRO_CACHE_DIR, else $XDG_CACHE_HOME/tenferro, else
/// $HOME/.cache/tenferro. Empty where that is off, by the options or by TENFERRO_CACHE_DIR (empty or "off", in any
/// case), or where there is no such variable.
std::string diskDirectory(const RuntimeOptions::DiskCache &options);

/// Of the three libraries as they are on this machine, and of its CPU: another build never reads what this one has
/// written.
const std::string &buildIdentity();

/// The cache of a runtime with these options; never null.
std::shared_ptr<runtime::DiskCache> openDiskCache(const RuntimeOptions::DiskCache &options);

/// How long a thread that must have a program waits for another process that compiles it; and the background thread,
/// for which forks and the end of the process wait.
inline constexpr std::chrono::milliseconds kDiskPatience{10000}, kDiskPatienceBehind{1000};

/// The extension families that a graph calls, and everything that it calls. Their kernels are not in programs: a
/// program from disk calls those that this process has under the families' names.
class CalledFamilies {
public:
  explicit CalledFamilies(const core::Graph &graph) { visit(graph); }
  bool any() const noexcept { return !versions_.empty(); }
  /// False where two registrations of one family are called, which a name does not tell apart.
  bool areTold() const noexcept { return areTold_; }
  /// Gives the calls of a program of the graph that was on disk the registrations of this process.
  void bind(runtime::DiskCache::Entry &entry) const;

private:
  void visit(const core::Graph &graph);
  void visit(const core::CustomFunction &function);

  std::map<std::string, uint64_t, std::less<>> versions_;
  std::unordered_set<const void *> visited_;
  bool areTold_ = true;
};

/// The key of a tier of a program: of a text that holds in every process.
std::string diskKey(const std::string &text, Tier tier);

/// Writes a program that was compiled because `entry` had none, unless it is one that must not be kept: now, or by the
/// background thread.
void keep(runtime::DiskCache::Entry &entry, const CalledFamilies &families, const runtime::LoadedProgram &made);
void keepBehind(const std::shared_ptr<runtime::DiskCache> &disk, runtime::DiskCache::Entry entry,
                const CalledFamilies &families, std::shared_ptr<const runtime::LoadedProgram> made);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_DISKPROGRAMS_H
