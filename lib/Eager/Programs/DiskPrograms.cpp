// TENFERRO_CACHE_DIR and the option beside it; the identity of this build.
#include "lib/Eager/Programs/DiskPrograms.h"

#include "lib/Compiler/InterfaceId.h"
#include "lib/Eager/Programs/CompileQueue.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "runtime/cache/BuildId.h"
#include "runtime/core/FirstUse.h"
#include "runtime/cpu/CpuLevel.h"
#include "tenferro/Version.h"

#include <cstdlib>
#include <filesystem>
#include <strings.h>

namespace tenferro::eager {

namespace {

std::string absolute(const std::string &path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? std::string() : whole.lexically_normal().string();
}

/// A variable that holds an absolute path; empty for others.
std::string pathFrom(const char *variable) {
  const char *value = secure_getenv(variable);
  return value && *value == '/' ? value : std::string();
}

} // namespace

std::string diskDirectory(const RuntimeOptions::DiskCache &options) {
  if (!options.enabled)
    return {};
  if (!options.directory.empty())
    return absolute(options.directory);
  if (const char *variable = secure_getenv("TENFERRO_CACHE_DIR")) {
    return *variable == '\0' || strcasecmp(variable, "off") == 0 ? std::string() : absolute(variable);
  }
  if (std::string base = pathFrom("XDG_CACHE_HOME"); !base.empty())
    return base + "/tenferro";
  if (std::string home = pathFrom("HOME"); !home.empty())
    return home + "/.cache/tenferro";
  return {};
}

const std::string &buildIdentity() {
  static constinit runtime::FirstUse<std::string> identity;
  return identity.get([] {
    const void *inThisLibrary = reinterpret_cast<const void *>(&buildIdentity);
    const void *inCore = reinterpret_cast<const void *>(static_cast<std::string_view (*)(DType)>(&name));
    core::Expected<runtime::CpuLevel> cpu = runtime::detectCpuLevel();
    return "tenferro " + std::string(version()) + "\ninterface " + compiler::kInterfaceId + "\nbuild " +
           runtime::buildIdAt(inThisLibrary) + " " + runtime::buildIdAt(inCore) + " " +
           runtime::buildIdOf(compilerLibraryPath()) + "\ncpu " + std::string(cpu ? runtime::name(*cpu) : "older") +
           "\n";
  });
}

std::shared_ptr<runtime::DiskCache> openDiskCache(const RuntimeOptions::DiskCache &options) {
  runtime::DiskCacheOptions made;
  made.directory = diskDirectory(options);
  made.maxBytes = options.maxBytes;
  if (!made.directory.empty())
    made.identity = buildIdentity();
  return std::make_shared<runtime::DiskCache>(std::move(made));
}

void CalledFamilies::visit(const core::Graph &graph) {
  for (const core::GraphOp &op : graph.ops) {
    if (op.custom)
      visit(*op.custom);
    if (op.callee && visited_.insert(op.callee.get()).second)
      visit(op.callee->graph);
  }
}

void CalledFamilies::visit(const core::CustomFunction &function) {
  if (!visited_.insert(&function).second)
    return;
  if (function.version != 0)
    areTold_ &= versions_.try_emplace(function.name, function.version).first->second == function.version;
  for (core::CustomRole role :
       {core::CustomRole::Primal, core::CustomRole::Jvp, core::CustomRole::Vjp, core::CustomRole::Transpose})
    if (const core::RuleFunction *body = core::roleBody(function, role))
      visit(body->graph);
}

void CalledFamilies::bind(runtime::DiskCache::Entry &entry) const {
  if (!entry.artifact)
    return;
  for (runtime::CallbackName &called : entry.artifact->program.callbacks) {
    auto known = versions_.find(called.family);
    if (known == versions_.end())
      return entry.refuse("calls a family that its key does not name");
    called.version = known->second;
  }
}

std::string diskKey(const std::string &text, Tier tier) {
  return text + (tier == Tier::Fused ? "tier 1 (fused)\n" : "tier 0 (op by op)\n");
}

/// Whether a program is to be kept; ends the turn of one that is not.
static bool isKept(runtime::DiskCache::Entry &entry, const CalledFamilies &families,
                   const runtime::LoadedProgram &made) {
  if (!entry.isOpen() || (made.code() && made.artifact().object.empty()))
    return false; // nobody asked, or another thread was faster, from the code of other sizes
  if (families.areTold())
    return true;
  entry.skip();
  return false;
}

void keep(runtime::DiskCache::Entry &entry, const CalledFamilies &families, const runtime::LoadedProgram &made) {
  if (isKept(entry, families, made))
    entry.store(made.artifact());
}

void keepBehind(const std::shared_ptr<runtime::DiskCache> &disk, runtime::DiskCache::Entry entry,
                const CalledFamilies &families, std::shared_ptr<const runtime::LoadedProgram> made) {
  if (!isKept(entry, families, *made))
    return;
  const runtime::CompiledArtifact *artifact = &made->artifact();
  disk->storeLater(std::move(entry), std::shared_ptr<const runtime::CompiledArtifact>(std::move(made), artifact));
  if (!CompileQueue::get().add(nullptr, [disk](const auto &) { return disk->drain(), true; }, /*isOwed=*/true))
    disk->drain();
}

} // namespace tenferro::eager
