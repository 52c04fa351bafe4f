// What a program is made from: the trace of a walk or a graph, its transform, and where the user wrote it.
#ifndef TENFERRO_EAGER_PROGRAMS_PROGRAMSOURCE_H
#define TENFERRO_EAGER_PROGRAMS_PROGRAMSOURCE_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Explain/Dump.h"
#include "lib/Eager/Trace/Walk.h"

#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

namespace tenferro::eager {

/// Where the user wrote operation k of a graph.
using PlaceFunction = std::function<compiler::SourcePlace(uint32_t)>;
/// By a list that outlives the function; nothing is known of operations beyond.
PlaceFunction placesIn(std::span<const std::source_location> locations);

/// What a program is made from, whenever a tier of it is wanted.
class ProgramSource {
public:
  virtual ~ProgramSource() = default;
  virtual const core::Graph &graph() const = 0;
  virtual core::Transform transform() const = 0;
  virtual PlaceFunction place() const = 0;

  /// Of the operations and of what they call, for a thread that outlives the recording.
  std::vector<compiler::SourcePlace> places() const;
};

/// The walk outlives it.
class WalkSource final : public ProgramSource {
public:
  explicit WalkSource(const Walk &walk) : walk_(walk) {}
  const core::Graph &graph() const override;
  core::Transform transform() const override { return walk_.transform(true); }
  PlaceFunction place() const override;

private:
  const Walk &walk_;
  mutable std::optional<core::Graph> graph_;
};

/// All three outlive it.
class GraphSource final : public ProgramSource {
public:
  GraphSource(const core::Graph &graph, const core::Transform &transform, const PlaceFunction &place)
      : graph_(graph), transform_(transform), place_(place) {}
  const core::Graph &graph() const override { return graph_; }
  core::Transform transform() const override { return transform_; }
  PlaceFunction place() const override { return place_; }

private:
  const core::Graph &graph_;
  const core::Transform &transform_;
  const PlaceFunction &place_;
};

/// Estimated bytes of a function that is kept.
size_t functionBytes(const core::Graph &graph);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_PROGRAMSOURCE_H
