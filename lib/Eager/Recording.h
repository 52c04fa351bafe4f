// What a compiled function keeps of a structure: its recording, and the programs made of it.
#ifndef TENFERRO_EAGER_RECORDING_H
#define TENFERRO_EAGER_RECORDING_H

#include "lib/Eager/Programs/Prepared.h"
#include "lib/Eager/Trace/Staging.h"
#include "tenferro/Compile.h"

#include <atomic>
#include <mutex>
#include <span>
#include <vector>

namespace tenferro::eager {

inline constexpr uint32_t kAbsent = ~uint32_t{0};

/// A recording under one use: forward, or with a derivative and the set of seeds that are there.
struct CompiledVariant {
  detail::CompiledMode mode{};
  std::vector<bool> seeded;    ///< per seed of the request
  std::vector<uint32_t> seeds; ///< those the program takes, behind the captures
  /// Arguments, captures and seeds to the recording's outputs and the derivatives that exist.
  std::shared_ptr<const core::DerivedFunction> program;
  /// By operation of the derivative's callee: the one of the recording it comes from.
  std::vector<uint32_t> derivativeOrigins;
  std::vector<core::ValueType> results;
  /// Inputs of the program that derivatives of a result can reach: not through what was detached or computed while
  /// recording was off. One list per operation that makes results, and per result the number of its list.
  std::vector<std::vector<uint32_t>> movers;
  std::vector<uint32_t> moversOf;
  std::string text;                  ///< structure key
  Digest digest;                     ///< of `text`
  std::vector<uint32_t> derivatives; ///< per argument or result of the function: place among `results`, or kAbsent
  std::unique_ptr<const CompiledVariant> next;
};

/// What one result of the function is.
struct ResultSource {
  enum class Kind : uint8_t { Output, Argument, Capture } kind = Kind::Output;
  uint32_t index = 0;
  uint32_t value = 0; ///< of the graph
};

/// One structure of a compiled function. Immutable but for the list of variants. Thread safe.
class CompiledRecording {
public:
  /// Outputs of the graph are computed values, each once.
  StagedFunction function;
  std::vector<ResultSource> sources; ///< per result
  std::vector<uint64_t> resultSizes;
  std::vector<uint64_t> words; ///< the key's words
  size_t argumentCount = 0;
  uint64_t epoch = 0; ///< of the extension families' rules
  /// A capture belongs to a function that was being recorded around this one: not to be kept.
  bool isLocal = false;

  const core::ValueType &resultType(size_t i) const { return resultTypes_[i]; }
  size_t resultCount() const noexcept { return sources.size(); }
  bool callsFamilies() const noexcept { return callsFamilies_; }

  /// The variant, made on first use. Raises NonScalarGrad, InactiveGrad, and what the compiler raises.
  const CompiledVariant &variant(RuntimeState &state, runtime::CpuLevel level, detail::CompiledMode mode,
                                 std::span<const EagerTensor *const> seeds) const;
  size_t bytes() const;

  /// Records `body` on placeholders of the arguments' types. Raises InvalidArgument where it returns nothing, or a
  /// constant.
  static std::shared_ptr<CompiledRecording> make(EagerRuntime &runtime, ExecutionEngine &engine,
                                                 std::span<const EagerTensor *const> arguments,
                                                 const detail::CompiledCore::Body &body);

private:
  std::unique_ptr<CompiledVariant> build(RuntimeState &state, runtime::CpuLevel level, detail::CompiledMode mode,
                                         std::span<const EagerTensor *const> seeds) const;

  std::vector<core::ValueType> resultTypes_;
  bool callsFamilies_ = false;
  mutable std::mutex lock_; ///< of making variants
  mutable std::unique_ptr<const CompiledVariant> first_;
  mutable std::atomic<const CompiledVariant *> head_{nullptr};
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_RECORDING_H
