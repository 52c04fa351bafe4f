// Locations as ProvenanceBuilder, import and CSE make them, read back. They nest by order of differentiation, inlining
// and merging, not by the depth of a program.
#include "lib/Transforms/Origin.h"

#include "dialects/tenferro/DerivativeDialectInterface.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenferro::compiler {

namespace {

class OriginReader {
public:
  explicit OriginReader(size_t most) : most_(most) {}

  SmallVector<Origin> read(Location location) {
    visit(location, "", std::nullopt);
    return std::move(origins_);
  }

private:
  /// `term`: of the rules outside; `caller`: of the outermost call outside.
  void visit(Location location, const std::string &term, std::optional<Location> caller) {
    if (origins_.size() == most_)
      return;
    if (auto named = dyn_cast<NameLoc>(location); named && !isa<UnknownLoc>(named.getChildLoc()))
      return visit(named.getChildLoc(), term, caller);
    if (auto call = dyn_cast<CallSiteLoc>(location))
      return visit(call.getCallee(), term, caller ? caller : std::optional(call.getCaller()));
    auto fused = dyn_cast<FusedLoc>(location);
    if (!fused)
      return add(term, caller.value_or(location));
    std::string inside = term;
    if (std::string rule = termOf(fused.getMetadata()); !rule.empty())
      inside += (term.empty() ? "" : ", in ") + rule;
    for (Location part : fused.getLocations())
      visit(part, inside, caller);
  }

  static std::string termOf(Attribute metadata) {
    auto *dialect = metadata ? dyn_cast<ir::DerivativeDialectInterface>(&metadata.getDialect()) : nullptr;
    if (!dialect || !dialect->ruleOrder(metadata))
      return {};
    return dialect->ruleTerm(metadata);
  }

  void add(const std::string &term, Location place) {
    if (llvm::none_of(origins_, [&](const Origin &known) { return known.term == term && known.place == place; }))
      origins_.push_back({term, place});
  }

  const size_t most_;
  SmallVector<Origin> origins_;
};

} // namespace

SmallVector<Origin> originsOf(Location location, size_t most) {
  return OriginReader(most).read(location);
}

std::string explainedName(Operation *op) {
  if (auto *dialect = dyn_cast_or_null<ir::DerivativeDialectInterface>(op->getDialect()))
    return dialect->explainedName(op).str();
  return op->getName().stripDialect().str();
}

std::string describeOrigin(Operation *op) {
  std::string term = originsOf(op->getLoc(), 1).front().term;
  return term.empty() ? explainedName(op) : term;
}

} // namespace tenferro::compiler
