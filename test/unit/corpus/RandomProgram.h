// Random programs for the proof that every tier gives one answer.
#ifndef TENFERRO_TEST_UNIT_CORPUS_RANDOMPROGRAM_H
#define TENFERRO_TEST_UNIT_CORPUS_RANDOMPROGRAM_H

#include "lib/Core/Graph.h"
#include "runtime/core/TensorView.h"

#include <cstdint>
#include <random>
#include <vector>

namespace tenferro::test {

/// Small wrapper so that every choice reads as one word.
class Random {
public:
  explicit Random(uint64_t seed) : generator_(seed) {}
  uint64_t bits() { return generator_(); }
  int64_t below(int64_t bound) { return static_cast<int64_t>(generator_() % static_cast<uint64_t>(bound)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename List> auto pick(const List &list) { return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))]; }

private:
  std::mt19937_64 generator_;
};

/// An argument in memory: elements and a view of them that may be strided.
struct Argument {
  std::vector<uint8_t> bytes;
  runtime::TensorView view;
};

/// A program of the core operations: a graph under a transform.
struct RandomProgram {
  core::Graph graph;
  core::Transform transform;
  /// Set for second order: `graph` then holds one call whose callee has this transform, with `active` still to fill in.
  bool nested = false;
  core::Graph inner;
  core::Transform innerTransform;
};

/// Ranks 0 to 5, extents 0, 1, 7, 64, 1003 and 4096, at most 2^18 elements a tensor; 1 to 24 operations over every
/// operation and dtype of the dialect; forward, vjp, jvp, and one of these of a vjp.
RandomProgram randomProgram(Random &random);

/// Wraps `program.inner` as the callee of a single call and differentiates that: `active` is the callee's.
void nest(RandomProgram &program, const std::vector<bool> &active, Random &random);

/// Elements for a value: at least a fifth of them from signed zeros, infinities, NaN, subnormals and repeated values; index-like values for
/// integers. With `strided`, the view walks its memory in a random order of axes, with gaps or backwards.
Argument randomArgument(const core::ValueType &type, Random &random, bool strided);

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CORPUS_RANDOMPROGRAM_H
