// Names of error kinds and phases.
#include "tenferro/Error.h"

#include <ostream>

namespace tenferro {

std::string_view name(ErrorKind kind) noexcept {
  switch (kind) {
  case ErrorKind::ShapeMismatch:
    return "shape_mismatch";
  case ErrorKind::RankMismatch:
    return "rank_mismatch";
  case ErrorKind::DTypeMismatch:
    return "dtype";
  case ErrorKind::LossyConversion:
    return "lossy_conversion";
  case ErrorKind::AxisOutOfRange:
    return "axis_out_of_range";
  case ErrorKind::DuplicateAxis:
    return "duplicate_axis";
  case ErrorKind::IndexOutOfRange:
    return "index_out_of_range";
  case ErrorKind::ElementCount:
    return "element_count";
  case ErrorKind::InvalidPermutation:
    return "invalid_permutation";
  case ErrorKind::SliceBounds:
    return "slice_bounds";
  case ErrorKind::SliceStep:
    return "slice_step";
  case ErrorKind::EmptyReduction:
    return "empty_reduction";
  case ErrorKind::DivisionByZero:
    return "division_by_zero";
  case ErrorKind::InvalidArgument:
    return "invalid_argument";
  case ErrorKind::NonScalarGrad:
    return "not_scalar";
  case ErrorKind::InactiveGrad:
    return "inactive_grad";
  case ErrorKind::ContextMismatch:
    return "context_mismatch";
  case ErrorKind::UnsupportedAdRule:
    return "unsupported_ad_rule";
  case ErrorKind::Unsupported:
    return "unsupported";
  case ErrorKind::NotContiguous:
    return "not_contiguous";
  case ErrorKind::OutOfMemory:
    return "out_of_memory";
  case ErrorKind::RuntimeState:
    return "runtime_state";
  case ErrorKind::Io:
    return "io";
  case ErrorKind::NonFinite:
    return "non_finite";
  case ErrorKind::Internal:
    return "internal";
  }
  return "internal";
}

std::string_view name(Phase phase) noexcept {
  switch (phase) {
  case Phase::GraphBuild:
    return "graph build";
  case Phase::Compile:
    return "compile";
  case Phase::Execution:
    return "execution";
  }
  return "execution";
}

std::ostream &operator<<(std::ostream &out, ErrorKind kind) { return out << name(kind); }
std::ostream &operator<<(std::ostream &out, Phase phase) { return out << name(phase); }

} // namespace tenferro
