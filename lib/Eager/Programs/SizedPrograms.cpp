// Looking for other sizes of a structure before anything is compiled, and telling them of what was.
#include "lib/Eager/Programs/SizedPrograms.h"

#include "lib/Core/SizeKey.h"
#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Programs/ProgramTiers.h"
#include "lib/Eager/Programs/SymbolicSizes.h"
#include "lib/Eager/Trace/Digest.h"

#include <optional>

namespace tenferro::eager {

namespace {

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
std::shared_ptr<TransformedProgram> compiled(const RuntimeState &state, const ProgramSource &source,
                                             const SizedText &sized, runtime::CpuLevel level, Tier tier, bool welcome,
                                             std::string text) {
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
          const ProgramSource &source) {
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

} // namespace

std::shared_ptr<TransformedProgram> transformed(RuntimeState &state, const ProgramSource &source,
                                                runtime::CpuLevel level, Tier tier, bool welcome, std::string text) {
  const SizedText sized = familyOf(state, text);
  if (auto program = follow(state, sized, level, tier, welcome, text))
    return program;
  auto program = compiled(state, source, sized, level, tier, welcome, std::move(text));
  if (sized.family)
    tell(state, sized, program, source);
  return program;
}

const runtime::LoadedProgram &tierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                     const ProgramSource &source) {
  if (const runtime::LoadedProgram *known = program.find(tier))
    return *known;
  if (std::shared_ptr<SizeFamily> family = program.follows ? program.family.lock() : nullptr)
    if (auto made = family->make(tier, program.sizes))
      return program.adopt(tier, std::move(made));
  return compiledTierOf(state, program, tier, source);
}

bool followFused(TransformedProgram &program) {
  std::shared_ptr<SizeFamily> family = program.follows ? program.family.lock() : nullptr;
  auto made = family ? family->make(Tier::Fused, program.sizes) : nullptr;
  if (!made)
    return false;
  program.adopt(Tier::Fused, std::move(made));
  return true;
}

} // namespace tenferro::eager
