// Recording a C++ function as a program without running it: its arguments are placeholders that have a type and no
// value.
//
// While a function is recorded, every operation of its thread on the runtime infers its result type and is appended to
// the program; nothing is computed and no engine is used. Real tensors that meet an operation are captures: inputs of
// the program behind the arguments.
#ifndef TENFERRO_EAGER_TRACE_STAGING_H
#define TENFERRO_EAGER_TRACE_STAGING_H

#include "lib/Eager/Trace/Record.h"
#include "tenferro/EagerRuntime.h"

#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenferro::eager {

/// What a recorded function computes.
struct StagedFunction {
  /// Inputs: the arguments, then the captures. Operations are those the outputs need, in the order of recording: so the
  /// first that fails is the one that fails first in eager code. Derivatives want them in walk order (WalkOrder.h).
  core::Graph graph;
  /// The real tensors that operations read, in order of the inputs: variables as themselves (their value is the one at
  /// the time of a run), a number beside a tensor as a constant of rank 0. A tensor of a function around this one is
  /// captured as well.
  std::vector<EagerTensor> captures;
  /// The user's line of each operation of the graph.
  std::vector<std::source_location> locations;
};

/// The function to record: called once, with a session of the runtime and one placeholder per argument; returns its
/// results.
using StagedBody = std::function<std::vector<EagerTensor>(EagerSession &, std::span<const EagerTensor>)>;

/// Runs `body` on placeholders of these types and returns what it recorded. Nests: a function recorded inside another
/// sees its tensors as captures. The guards of the calling thread do not count inside; they, its session and an outer
/// recording are as before when this returns or `body` throws, whose exception passes through. `op` names the caller in
/// errors. Errors, beside those of the operations: InvalidArgument for an empty result, ContextMismatch for one of
/// another runtime.
StagedFunction stage(EagerRuntime &runtime, ExecutionEngine &engine, std::span<const core::ValueType> arguments,
                     std::string_view op, const StagedBody &body);

/// One function that is being recorded: the innermost one of a thread and runtime takes the operations.
///
/// Values have numbers of their own, since captures turn up late: input i is 2 i, result r of the operations 2 r + 1.
class StagingFrame {
public:
  explicit StagingFrame(RuntimeState &state);
  ~StagingFrame();
  StagingFrame(const StagingFrame &) = delete;
  StagingFrame &operator=(const StagingFrame &) = delete;

  /// The innermost function of this runtime that the calling thread is recording, or null.
  static StagingFrame *of(const RuntimeState &state) noexcept;

  /// A placeholder for the next argument. All of them come before the first operation.
  EagerTensor addArgument(const core::ValueType &type);

  /// Appends an operation. Errors: its shape rule, and what `numberOf` raises.
  EagerTensor apply(core::OpKind kind, std::span<const EagerTensor *const> operands, const core::Attributes &attributes,
                    const std::source_location &where);

  /// Appends an operation as it is, a call of a derivative for instance, whose operands are numbers of this function;
  /// one tensor per result. `hidden`: results of this function that a callee repeats inside, by number.
  std::vector<EagerTensor> add(core::GraphOp op, std::vector<uint32_t> hidden, const std::source_location &where);

  /// Appends the operations of a graph whose inputs are `inputs`; one tensor per output. Operations without an entry in
  /// `locations` get the last one.
  std::vector<EagerTensor> splice(const core::Graph &graph, std::span<const std::source_location> locations,
                                  std::vector<uint32_t> inputs);

  /// The number of a tensor in this function; captures it if it is not from here. Errors: InvalidArgument for an empty
  /// one, ContextMismatch, RuntimeState for a placeholder whose function is not being recorded by this thread any more.
  uint32_t numberOf(const EagerTensor &tensor, std::string_view op);
  /// The number if it has one already.
  const uint32_t *findNumber(const Record &record) const noexcept;

  /// The part of the function that some of its values need.
  struct Part {
    core::Graph graph;
    std::vector<uint32_t> inputs;                  ///< numbers of the graph's inputs
    std::vector<uint32_t> operations;              ///< places of the graph's operations in this function
    std::unordered_map<uint32_t, uint32_t> places; ///< from numbers to values of the graph
  };
  enum class Order : uint8_t { Walk, Recorded };
  /// `inputs` are there in any case, in front, then those of the walk. Nothing that a result in `cut` was computed from
  /// is followed.
  Part part(std::span<const uint32_t> outputs, std::span<const uint32_t> inputs, std::span<const uint32_t> cut,
            Order order) const;

  const core::ValueType &type(uint32_t number) const;
  /// The numbers of an operation's results.
  std::vector<uint32_t> resultsOf(uint32_t operation) const;
  /// The values that calls among `operations` repeat inside.
  std::vector<uint32_t> hiddenIn(std::span<const uint32_t> operations) const;
  /// The user's lines of some operations.
  std::vector<std::source_location> locationsOf(std::span<const uint32_t> operations) const;
  StagedFunction finish(std::span<const EagerTensor> results, std::string_view op);

private:
  struct Operation {
    core::GraphOp op; ///< operands: numbers of this function
    std::source_location where;
    std::vector<uint32_t> hidden = {};
    uint32_t firstResult = 0;
  };
  uint32_t addInput(core::ValueType type, EagerTensor capture);
  uint32_t capture(const EagerTensor &tensor);
  /// Appends; the number of the first result.
  uint32_t append(Operation operation);
  /// A handle of value `number`, through `detach` while recording is off.
  EagerTensor handle(uint32_t number, const std::source_location &where);

  RuntimeState &state_;
  const uint64_t id_;
  StagingFrame *const outer_;
  const uint32_t noGrad_, capture_;
  size_t arguments_ = 0;
  std::vector<core::ValueType> inputs_;
  std::vector<EagerTensor> captures_; ///< by input; empty for arguments
  std::vector<EagerTensor> kept_;     ///< keeps the records that `captured_` names
  std::vector<Operation> operations_;
  std::vector<uint32_t> producer_; ///< by result: its operation
  std::unordered_map<const Record *, uint32_t> captured_;
};

/// A value of a function that is being recorded, as a handle's record.
class StagedValue final : public Record {
public:
  StagedValue(RuntimeState &state, core::ValueType type, uint64_t frame, uint32_t number);
  const uint64_t frame;
  const uint32_t number;

private:
  const core::ValueType type_;
};

/// RuntimeState: `op` wants the value of a placeholder, or of what was computed from one.
[[noreturn]] void raiseNoValue(std::string_view op, const Record &record);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_STAGING_H
