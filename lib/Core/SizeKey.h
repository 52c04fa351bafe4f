// A structure key without its sizes: what programs that differ in extents alone have in common.
#ifndef TENFERRO_CORE_SIZEKEY_H
#define TENFERRO_CORE_SIZEKEY_H

#include "lib/Core/Graph.h"
#include "tenferro/Export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::core {

/// A structure key apart from its sizes.
struct SizeKey {
  /// The key with every extent of 2 or more replaced by "#k", the number of its value in `sizes`; 0 and 1 stay, as
  /// rules treat them differently. Of attributes that say where something begins or ends, those numbers are replaced
  /// that are one of the sizes so far ("#k"), or a little less (`x[:-1]`: "#k-1"); another one is part of the
  /// structure.
  std::string text;
  /// The extents, each value once, in the order in which they are met: never equal to each other, so that of two keys
  /// of one text the same extents are equal.
  std::vector<int64_t> sizes;
};

/// Of a text that `structureKey` wrote, or that begins so.
TENFERRO_EXPORT SizeKey eraseSizes(std::string_view structureKey);

/// Whether an attribute of that name carries positions or lengths along an axis, not axes, strides, orders or modes.
TENFERRO_EXPORT bool isPositionAttribute(std::string_view name) noexcept;

/// How many elements before an end a position may be to follow it. A small one is more often a constant: the row of a
/// matrix.
inline constexpr int64_t kMostBeforeEnd = 3, kLeastBeforeEnd = 8;

/// A position as a size less something.
struct NearSize {
  size_t number = 0;
  int64_t less = 0;
};
/// The size that a position is or, from `kLeastBeforeEnd` on, is at most `kMostBeforeEnd` before: the nearest. Of 0 and
/// 1 none.
TENFERRO_EXPORT std::optional<NearSize> nearSize(const std::vector<int64_t> &sizes, int64_t position) noexcept;

/// A number that is a sum of sizes and a constant.
struct SizeSum {
  int64_t constant = 0;
  IntList counts; ///< how often each of `SizeKey::sizes` is added
  friend bool operator==(const SizeSum &, const SizeSum &) = default;
};

/// Where the parts of concatenations begin, in a graph of these sizes and in all that it calls; each sum once. The key
/// does not spell these numbers out, and derivatives begin slices and paddings there.
TENFERRO_EXPORT std::vector<SizeSum> startsOfParts(const Graph &graph, const std::vector<int64_t> &sizes);

} // namespace tenferro::core

#endif // TENFERRO_CORE_SIZEKEY_H
