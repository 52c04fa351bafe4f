// Compiling in the calling thread, with the disk cache before it.
#include "lib/Eager/Programs/ProgramTiers.h"

#include "lib/Core/PortableKey.h"
#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "lib/Eager/ThreadState.h"

#include <chrono>

namespace tenferro::eager {

std::string targetText(const Target &target) {
  return "rules " + std::to_string(compiler::kRuleSetVersion) + "\npipeline " +
         std::to_string(compiler::kPipelineVersion) + "\nlevel x86-64-v" +
         std::to_string(static_cast<int>(target.level)) + "\n";
}

CompileLedger &ledgerOf(const RuntimeState &state) { return *detail::AdContextAccess::state(*state.adContext).ledger; }

/// Compiles in the calling thread.
static runtime::CompiledArtifact compileNow(const RuntimeState &state, const ProgramSource &source, Tier tier,
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

std::string diskKeyOf(const TransformedProgram &program, const CalledFamilies &families, const core::Graph &graph,
                      const core::Transform &transform, Tier tier) {
  if (!families.any())
    return diskKey(program.text, tier);
  Target target;
  target.level = program.level;
  return diskKey(core::portableKey(graph, transform) + targetText(target), tier);
}

bool adopt(TransformedProgram &program, Tier tier, const CalledFamilies &families, runtime::DiskCache::Entry &found) {
  families.bind(found);
  return program.adopt(tier, found);
}

const runtime::LoadedProgram &compiledTierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                             const ProgramSource &source) {
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

Tier firstTier(const RuntimeState &state) noexcept {
  return state.policy == CompilePolicy::Immediate && !threadState.checkNumerics ? Tier::Fused : Tier::OpByOp;
}

} // namespace tenferro::eager
