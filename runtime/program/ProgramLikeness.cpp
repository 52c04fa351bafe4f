// Compares two programs field by field, but for numbers that sizes may explain.
#include "runtime/program/ProgramLikeness.h"

#include "runtime/core/Failures.h"

namespace tenferro::runtime {

Failure unlike(std::string message) { return makeFailure(ErrorKind::Unsupported, "sizes", std::move(message)); }

namespace {

class Likeness {
public:
  Likeness(const CompiledArtifact &a, const CompiledArtifact &b)
      : artifactA_(a), artifactB_(b), a_(a.program), b_(b.program) {}

  std::optional<Failure> compare() const {
    if (auto failure = compareInterfaces())
      return failure;
    if (auto failure = compareValues())
      return failure;
    return compareLaunches();
  }

private:
  static std::optional<Failure> compareRanks(const IntList &a, const IntList &b, const std::string &what) {
    if (a.size() != b.size())
      return unlike(what + " is of rank " + std::to_string(a.size()) + " and " + std::to_string(b.size()));
    return std::nullopt;
  }

  std::optional<Failure> compareInterfaces() const {
    if (artifactA_.active != artifactB_.active)
      return unlike("other derivatives are structurally zero");
    if (a_.launches.size() != b_.launches.size())
      return unlike("the programs have " + std::to_string(a_.launches.size()) + " and " +
                    std::to_string(b_.launches.size()) + " launches");
    if (a_.values.size() != b_.values.size())
      return unlike("the programs have " + std::to_string(a_.values.size()) + " and " +
                    std::to_string(b_.values.size()) + " values");
    if (a_.arguments.size() != b_.arguments.size() || a_.argumentUsed != b_.argumentUsed ||
        a_.argumentContiguous != b_.argumentContiguous)
      return unlike("other arguments are used or copied");
    for (size_t i = 0; i < a_.arguments.size(); ++i) {
      const std::string what = "argument " + std::to_string(i);
      if (a_.arguments[i].dtype != b_.arguments[i].dtype)
        return unlike(what + " has another dtype");
      if (auto failure = compareRanks(a_.arguments[i].shape, b_.arguments[i].shape, what))
        return failure;
    }
    if (a_.results != b_.results)
      return unlike("results are other values");
    if (a_.constants != b_.constants)
      return unlike("constants differ");
    if (a_.callbacks != b_.callbacks)
      return unlike("kernels of extension families differ");
    if (artifactA_.functions != artifactB_.functions)
      return unlike("the kernels are " + std::to_string(artifactA_.functions.size()) + " and " +
                    std::to_string(artifactB_.functions.size()) + " functions, or do other things");
    if (artifactA_.object != artifactB_.object)
      return unlike("the machine code differs");
    return std::nullopt;
  }

  std::optional<Failure> compareValues() const {
    for (size_t v = 0; v < a_.values.size(); ++v) {
      const ProgramValue &a = a_.values[v], &b = b_.values[v];
      const std::string what = "value " + std::to_string(v);
      if (a.type.dtype != b.type.dtype || a.storage != b.storage || a.index != b.index ||
          (a.storage != StorageKind::Arena && a.offset != b.offset))
        return unlike(what + " is another one");
      if (auto failure = compareRanks(a.type.shape, b.type.shape, what))
        return failure;
      if (a.storage != StorageKind::View)
        continue;
      const View &x = *a.view, &y = *b.view;
      if (x.reshape != y.reshape || !(x.dims == y.dims) || !(x.steps == y.steps) || !(x.alongside == y.alongside) ||
          x.starts.size() != y.starts.size())
        return unlike(what + " is another view");
    }
    return std::nullopt;
  }

  static bool sameWindows(const WindowDimensions &a, const WindowDimensions &b) {
    return a.window == b.window && a.fixed == b.fixed && a.map == b.map && a.vectorDim == b.vectorDim &&
           a.sizes.size() == b.sizes.size() && a.mode == b.mode && a.update == b.update && a.backward == b.backward;
  }

  static bool sameDot(const DotDimensions &a, const DotDimensions &b) {
    return a.lhsContracting == b.lhsContracting && a.rhsContracting == b.rhsContracting && a.lhsBatch == b.lhsBatch &&
           a.rhsBatch == b.rhsBatch;
  }

  std::optional<Failure> compareLaunches() const {
    for (size_t i = 0; i < a_.launches.size(); ++i) {
      const Launch &a = a_.launches[i], &b = b_.launches[i];
      if (a.kind != b.kind || a.kernel != b.kernel || a.function != b.function || a.operands != b.operands ||
          a.outputs != b.outputs || a.access != b.access || !(a.axes == b.axes) || !(a.interior == b.interior) ||
          a.low.size() != b.low.size() || !sameDot(*a.dot, *b.dot) || !sameWindows(*a.windows, *b.windows) ||
          a.reverse != b.reverse || a.combine != b.combine || a.rowOnly != b.rowOnly || a.weight != b.weight ||
          a.opNumbers != b.opNumbers)
        return unlike("launch " + std::to_string(i) + " is another one");
    }
    if (a_.origins.size() != b_.origins.size())
      return unlike("launches come from other operations");
    for (size_t i = 0; i < a_.origins.size(); ++i)
      if (a_.origins[i].opNumber != b_.origins[i].opNumber || a_.origins[i].innerNumber != b_.origins[i].innerNumber ||
          a_.origins[i].made != b_.origins[i].made)
        return unlike("launch " + std::to_string(i) + " comes from another operation");
    return std::nullopt;
  }

  const CompiledArtifact &artifactA_, &artifactB_;
  const Program &a_, &b_;
};

} // namespace

std::optional<Failure> compareApartFromSizes(const CompiledArtifact &a, const CompiledArtifact &b) {
  return Likeness(a, b).compare();
}

} // namespace tenferro::runtime
