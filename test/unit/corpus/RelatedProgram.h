// Random programs in several sets of sizes at once, whose sizes are related: by the program, or by chance in some of
// the sets.
#ifndef TENFERRO_TEST_UNIT_CORPUS_RELATEDPROGRAM_H
#define TENFERRO_TEST_UNIT_CORPUS_RELATEDPROGRAM_H

#include "test/unit/corpus/RandomProgram.h"

#include <array>

namespace tenferro::test {

/// Of two sizes that vary, in two programs to compile and two to make from them.
inline constexpr size_t kSizeSets = 4;

/// One program in each set: the same operations, with other extents.
struct RelatedProgram {
  std::array<RandomProgram, kSizeSets> sets;
  bool isRelated = false; ///< by chance in the first two sets, not in the others
};

/// 1 to 14 operations on axes of n, m, sums of them and constants: concatenations of up to eight parts and splits of
/// them, slices and paddings by sizes and constants, reshapes that merge axes, products, reductions, indexing; floats
/// and integers; forward, vjp, jvp, and one of these of a vjp. n runs from 2 over the lanes of a vector, the block of a
/// reduction and beyond; in the first two sets m may be 4 n, n + 1, 2 n - 1, n - 2, n * n or 2 n, and in the others it
/// may not.
RelatedProgram relatedProgram(Random &random);

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CORPUS_RELATEDPROGRAM_H
