// Compiled functions: a C++ function of tensors, recorded once per structure and run as one program from then on.
#ifndef TENFERRO_COMPILE_H
#define TENFERRO_COMPILE_H

#include "tenferro/EagerRuntime.h"
#include "tenferro/TensorTree.h"

#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenferro {

/// A value and what a derivative gives beside it. A gradient or tangent that is structurally zero (of an integer, of an
/// argument nothing depends on) is an empty tensor.
template <typename Value, typename Derivative> struct WithDerivative {
  Value value;
  Derivative derivative;
};

namespace detail {

/// What a compiled function does with its program.
enum class CompiledMode : uint8_t { Forward, ValueAndGrad, Vjp, Jvp };

/// Who calls a compiled function, and from where.
struct Caller {
  ExecutionEngine *engine = nullptr; ///< null: of the current session
  std::source_location where;
};

/// The part of a compiled function that is the same for all types: recordings by structure, look-up and running.
class TENFERRO_EXPORT CompiledCore {
public:
  using Tensors = std::vector<EagerTensor>;
  /// Tensors of an argument list or result, and the sizes of its vectors.
  struct Leaves {
    Tensors tensors;
    std::vector<uint64_t> sizes;
  };
  /// The user's function on flat lists.
  using Body = std::function<Leaves(EagerSession &session, std::span<const EagerTensor> arguments)>;
  struct Request {
    CompiledMode mode = CompiledMode::Forward;
    const void *signature = nullptr; ///< of the C++ types
    std::span<const EagerTensor *const> arguments;
    std::span<const uint64_t> sizes; ///< of vectors among the arguments
    std::span<const EagerTensor *const>
        seeds; ///< Vjp: a cotangent per result; Jvp: a tangent per argument; empty handles are zeros
    std::source_location where = {}; ///< of the user's call; line 0 if nobody knows
  };
  struct Answer {
    Leaves results;
    Tensors derivatives; ///< gradients per argument, tangents per result; empty where structurally zero
  };

  /// `runtime`: null for the one of the arguments or of the current session.
  explicit CompiledCore(std::shared_ptr<EagerRuntime> runtime);
  ~CompiledCore();
  CompiledCore(const CompiledCore &) = delete;
  CompiledCore &operator=(const CompiledCore &) = delete;

  /// `engine`: null for the current session's. `body` is called if the structure is new.
  Answer call(ExecutionEngine *engine, const Request &request, const Body &body);

  CacheStats stats() const;
  CacheLimits limits() const;
  void setLimits(const CacheLimits &limits);
  void clear();

private:
  Answer callAt(ExecutionEngine *engine, const Request &request, const Body &body);
  struct State;
  std::unique_ptr<State> state_;
};

/// Stands for an argument that a call does not have: behind a pack of arguments there is no room for the place of the
/// call as a default, behind this many single ones, each of any type and of this type by default, there is. Of longer
/// calls the first argument brings it.
struct NoArgument {
  explicit NoArgument() = default; // so that nobody's {} is taken for one
};
inline constexpr size_t kPlacedArguments = 12;
template <typename... Call>
inline constexpr size_t argumentCount = (size_t(0) + ... + !std::is_same_v<std::remove_cvref_t<Call>, NoArgument>);

template <typename First>
inline constexpr bool isEngine = std::is_base_of_v<ExecutionEngine, std::remove_cvref_t<First>> ||
                                 std::is_same_v<EagerSession, std::remove_cvref_t<First>>;

inline ExecutionEngine *engineOf(ExecutionEngine &engine) noexcept { return &engine; }
inline ExecutionEngine *engineOf(EagerSession &session) noexcept { return &session.engine(); }

/// The first argument of a long call, converted where the call stands.
struct PlacedEngine {
  template <typename Engine>
    requires isEngine<Engine>
  PlacedEngine(Engine &&first, const std::source_location &place = std::source_location::current())
      : value(engineOf(first)), where(place) {}
  ExecutionEngine &first() const noexcept { return *value; }
  ExecutionEngine *value;
  std::source_location where;
};
struct PlacedTensor {
  PlacedTensor(const EagerTensor &first, const std::source_location &place = std::source_location::current()) noexcept
      : value(&first), where(place) {}
  const EagerTensor &first() const noexcept { return *value; }
  const EagerTensor *value;
  std::source_location where;
};
template <typename First, typename... Rest>
inline constexpr bool isPlaced = isEngine<First> || std::is_same_v<std::remove_cvref_t<First>, EagerTensor>;

// clang-format off
#define TENFERRO_CALL_TYPES                                                                                           \
  typename T1 = detail::NoArgument, typename T2 = detail::NoArgument, typename T3 = detail::NoArgument,               \
  typename T4 = detail::NoArgument, typename T5 = detail::NoArgument, typename T6 = detail::NoArgument,               \
  typename T7 = detail::NoArgument, typename T8 = detail::NoArgument, typename T9 = detail::NoArgument,               \
  typename T10 = detail::NoArgument, typename T11 = detail::NoArgument, typename T12 = detail::NoArgument
#define TENFERRO_CALL_ARGUMENTS                                                                                       \
  T1 &&t1 = T1(), T2 &&t2 = T2(), T3 &&t3 = T3(), T4 &&t4 = T4(), T5 &&t5 = T5(), T6 &&t6 = T6(),                     \
  T7 &&t7 = T7(), T8 &&t8 = T8(), T9 &&t9 = T9(), T10 &&t10 = T10(), T11 &&t11 = T11(), T12 &&t12 = T12(),            \
  const std::source_location &where = std::source_location::current()
#define TENFERRO_CALL_GIVEN t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12
#define TENFERRO_LONG_CALLS(method, implementation)                                                                   \
  template <typename... Call>                                                                                         \
    requires(sizeof...(Call) >= detail::kPlacedArguments)                                                             \
  auto method(const detail::PlacedEngine &placed, Call &&...call) const {                                             \
    return implementation(placed.where, placed.first(), call...);                                                     \
  }                                                                                                                   \
  template <typename... Call>                                                                                         \
    requires(sizeof...(Call) >= detail::kPlacedArguments)                                                             \
  auto method(const detail::PlacedTensor &placed, Call &&...call) const {                                             \
    return implementation(placed.where, placed.first(), call...);                                                     \
  }                                                                                                                   \
  template <typename... Call>                                                                                         \
    requires(sizeof...(Call) > detail::kPlacedArguments && !detail::isPlaced<Call...>)                                \
  auto method(Call &&...call) const {                                                                                 \
    return implementation({}, call...);                                                                               \
  }
// clang-format on

/// One address per list of types; not constant, so that no linker folds two of them.
template <typename... Types> inline char kSignature = 0;

template <typename... Types> struct Alone {
  using type = std::tuple<Types...>;
};
template <typename Type> struct Alone<Type> {
  using type = Type;
};

} // namespace detail

/// A function of tensors that is recorded the first time it meets a structure (C++ types, sizes of vectors, dtypes and
/// shapes of the arguments) and runs as a compiled program whenever it meets it again: forward, and with derivatives.
/// Results and derivatives have the bits of the same operations run eagerly.
///
/// The function takes tensors, or types that hold tensors (TensorTree.h), optionally behind an `EagerSession &`, and
/// returns one such type. It is called with placeholders that have shapes and dtypes and no values: `value()`,
/// `item()`, printing and `backward` of one are RuntimeError; `grad`, `vjp` and `jvp` of the runtime become part of the
/// program. It runs when a structure is recorded and at no other time: printing, counting, branching on a C++ variable
/// and every other side effect happens then.
///
/// * A tensor the function uses without taking it as an argument is a capture, by handle: a variable's value at the
///   time of each call (`assign` is seen), a constant for ever. Derivatives go through tracked captures as they do
///   eagerly.
/// * C++ numbers and options the function reads are frozen in the recording; a number beside a tensor is data of it, no
///   part of the program's key. Assigning another tensor to a captured C++ variable is not seen; take it as an argument.
/// * A call with a result that a tracked argument or capture moves, while recording is on, is recorded as one
///   operation, through which `backward`, `grad`, `vjp` and `jvp` go; results that none moves (detached, or computed
///   under a NoGradGuard) are untracked, as eager ones are. Called inside another function that is being recorded, it
///   becomes part of that one.
/// * An operation no result depends on is dropped, with the error it would have raised.
/// * Recordings belong to this object and its copies (128 by default); programs to the runtime's caches, under keys of
///   structure, shared with everything of equal structure.
///
/// Calls take an engine or a session first, or use the current session. Errors, with the line of the call (but for
/// one of more than 12 arguments, cotangents and tangents included, that begins with neither an engine, a session nor a
/// tensor: it has none): ContextMismatch for a tensor of
/// another runtime; InvalidArgument for an empty one and for a function without results; RuntimeState for a function
/// that calls itself with the same structure, and for an unbound function without tensor arguments or session. What the
/// function raises while it is recorded passes through; what the program raises has the line of the operation in the
/// function.
/// Thread safety: calls from any threads; a new structure is recorded by one of them (within other recordings, by each
/// that meets it before it is known).
template <typename Function> class CompiledFunction {
public:
  CompiledFunction(std::shared_ptr<EagerRuntime> runtime, Function function)
      : shared_(std::make_shared<Shared>(std::move(runtime), std::move(function))) {}

  /// The results.
  template <TENFERRO_CALL_TYPES> auto operator()(TENFERRO_CALL_ARGUMENTS) const {
    return forwardOf(where, TENFERRO_CALL_GIVEN);
  }
  TENFERRO_LONG_CALLS(operator(), forwardOf)

  /// The result, which must be one float of one element, and its gradients: of the argument's own type if there is one
  /// argument, else a tuple. Errors: NonScalarGrad; ValidationError where all of them are structurally zero.
  template <TENFERRO_CALL_TYPES> auto valueAndGrad(TENFERRO_CALL_ARGUMENTS) const {
    return gradientsOf(where, TENFERRO_CALL_GIVEN);
  }
  TENFERRO_LONG_CALLS(valueAndGrad, gradientsOf)

  /// Called as (arguments..., cotangent), the cotangent of the result's type: the result and the cotangents of the
  /// arguments, as `valueAndGrad` gives them. An empty tensor in the cotangent is a zero. Errors: ShapeMismatch,
  /// DTypeMismatch.
  template <TENFERRO_CALL_TYPES> auto vjp(TENFERRO_CALL_ARGUMENTS) const { return vjpOf(where, TENFERRO_CALL_GIVEN); }
  TENFERRO_LONG_CALLS(vjp, vjpOf)

  /// Called as (arguments..., tangents...), one tangent per argument and of its type: the result and its tangent. An
  /// empty tensor in a tangent is a zero; those of integers are not looked at. Errors: ShapeMismatch, DTypeMismatch.
  template <TENFERRO_CALL_TYPES> auto jvp(TENFERRO_CALL_ARGUMENTS) const { return jvpOf(where, TENFERRO_CALL_GIVEN); }
  TENFERRO_LONG_CALLS(jvp, jvpOf)

  /// Of the recordings: a miss is a run of the function.
  CacheStats stats() const { return shared_->core.stats(); }
  CacheLimits limits() const { return shared_->core.limits(); }
  void setLimits(const CacheLimits &limits) const { shared_->core.setLimits(limits); } ///< Errors: InvalidArgument
  /// Forgets the recordings; the next call of each structure records anew.
  void clear() const { shared_->core.clear(); }

private:
  using Core = detail::CompiledCore;
  using Caller = detail::Caller;
  struct Shared {
    Shared(std::shared_ptr<EagerRuntime> runtime, Function recorded)
        : core(std::move(runtime)), function(std::move(recorded)) {}
    Core core;
    Function function;
  };

  template <typename... Arguments>
  static constexpr bool kTakesSession = std::is_invocable_v<Function &, EagerSession &, const Arguments &...>;

  template <typename... Arguments> static auto resultType() {
    if constexpr (kTakesSession<Arguments...>) {
      return std::type_identity<
          std::remove_cvref_t<std::invoke_result_t<Function &, EagerSession &, const Arguments &...>>>();
    } else {
      static_assert(std::is_invocable_v<Function &, const Arguments &...>,
                    "the function expects other arguments, or non-const references");
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<Function &, const Arguments &...>>>();
    }
  }
  template <typename... Arguments> using Result = typename decltype(resultType<Arguments...>())::type;

  template <typename... Call> auto forwardOf(const std::source_location &where, Call &...call) const {
    return split(
        where, [&](const Caller &caller, const auto &...arguments) { return forward(caller, arguments...); }, call...);
  }
  template <typename... Call> auto gradientsOf(const std::source_location &where, Call &...call) const {
    return split(
        where, [&](const Caller &caller, const auto &...arguments) { return gradients(caller, arguments...); },
        call...);
  }
  template <typename... Call> auto vjpOf(const std::source_location &where, Call &...call) const {
    return split(
        where,
        [&](const Caller &caller, const auto &...all) {
          static_assert(sizeof...(all) > 0, "vjp expects arguments and a cotangent");
          return onFront(std::make_index_sequence<sizeof...(all) - 1>(), std::tie(all...),
                         [&](const auto &cotangent, const auto &...arguments) {
                           return pulledBack(caller, cotangent, arguments...);
                         });
        },
        call...);
  }
  template <typename... Call> auto jvpOf(const std::source_location &where, Call &...call) const {
    return split(
        where,
        [&](const Caller &caller, const auto &...all) {
          static_assert(sizeof...(all) % 2 == 0, "jvp expects as many tangents as arguments");
          return onHalves(std::make_index_sequence<sizeof...(all) / 2>(), std::tie(all...), caller);
        },
        call...);
  }

  /// Takes the engine off the front, and what is no argument off the end.
  template <typename Body, typename... Call>
  static auto split(const std::source_location &where, Body &&body, Call &...call) {
    return splitFirst(std::make_index_sequence<detail::argumentCount<Call...>>(), where, body, std::tie(call...));
  }
  template <size_t... Index, typename Body, typename Tuple>
  static auto splitFirst(std::index_sequence<Index...>, const std::source_location &where, Body &body,
                         const Tuple &call) {
    if constexpr (sizeof...(Index) == 0)
      return body(Caller{nullptr, where});
    else
      return withoutEngine(where, body, std::get<Index>(call)...);
  }
  template <typename Body, typename First, typename... Rest>
  static auto withoutEngine(const std::source_location &where, Body &body, First &first, Rest &...rest) {
    if constexpr (detail::isEngine<First>)
      return body(Caller{detail::engineOf(first), where}, rest...);
    else
      return body(Caller{nullptr, where}, first, rest...);
  }
  template <size_t... Index, typename Tuple, typename Body>
  static auto onFront(std::index_sequence<Index...>, const Tuple &all, Body &&body) {
    return body(std::get<sizeof...(Index)>(all), std::get<Index>(all)...);
  }
  template <size_t... Index, typename Tuple>
  auto onHalves(std::index_sequence<Index...>, const Tuple &all, const Caller &caller) const {
    return pushedForward(caller, std::tie(std::get<Index>(all)...),
                         std::tie(std::get<sizeof...(Index) + Index>(all)...));
  }

  template <typename... Arguments>
  Core::Answer run(const Caller &caller, detail::CompiledMode mode, std::span<const EagerTensor *const> seeds,
                   const Arguments &...arguments) const {
    using Value = Result<Arguments...>;
    static_assert(!std::is_void_v<Value>, "the function expects to return a tensor or a type that holds tensors");
    detail::LeafPointers leaves;
    (leaves.add(arguments), ...);
    Core::Request request;
    request.mode = mode;
    request.signature = &detail::kSignature<Arguments...>;
    request.arguments = leaves.tensors();
    request.sizes = leaves.sizes();
    request.seeds = seeds;
    request.where = caller.where;
    // Only called before this call returns.
    auto body = [&](EagerSession &session, std::span<const EagerTensor> placeholders) {
      detail::LeafReader reader(placeholders, leaves.sizes());
      std::tuple<Arguments...> own{reader.read<Arguments>()...}; // in order: braces
      Core::Leaves results;
      detail::LeafPointers pointers;
      auto invoke = [&](const auto &...values) {
        if constexpr (kTakesSession<Arguments...>)
          return shared_->function(session, values...);
        else
          return shared_->function(values...);
      };
      Value value = std::apply(invoke, own);
      pointers.add(value);
      for (const EagerTensor *tensor : pointers.tensors())
        results.tensors.push_back(*tensor);
      results.sizes.assign(pointers.sizes().begin(), pointers.sizes().end());
      return results;
    };
    return shared_->core.call(caller.engine, request, std::ref(body));
  }

  template <typename Value> static Value valueOf(const Core::Leaves &leaves) {
    return detail::LeafReader(leaves.tensors, leaves.sizes).read<Value>();
  }
  /// Derivatives in the form of the arguments.
  template <typename... Arguments>
  static typename detail::Alone<Arguments...>::type likeArguments(std::span<const EagerTensor> derivatives,
                                                                  const Arguments &...arguments) {
    detail::LeafPointers leaves;
    (leaves.add(arguments), ...);
    detail::LeafReader reader(derivatives, leaves.sizes());
    if constexpr (sizeof...(Arguments) == 1)
      return reader.read<Arguments...>();
    else
      return std::tuple<Arguments...>{reader.read<Arguments>()...};
  }

  template <typename... Arguments> auto forward(const Caller &caller, const Arguments &...arguments) const {
    return valueOf<Result<Arguments...>>(run(caller, detail::CompiledMode::Forward, {}, arguments...).results);
  }

  template <typename... Arguments> auto gradients(const Caller &caller, const Arguments &...arguments) const {
    static_assert(sizeof...(Arguments) > 0, "valueAndGrad expects an argument");
    Core::Answer answer = run(caller, detail::CompiledMode::ValueAndGrad, {}, arguments...);
    return WithDerivative<Result<Arguments...>, typename detail::Alone<Arguments...>::type>{
        valueOf<Result<Arguments...>>(answer.results), likeArguments(answer.derivatives, arguments...)};
  }

  template <typename... Arguments>
  auto pulledBack(const Caller &caller, const Result<Arguments...> &cotangent, const Arguments &...arguments) const {
    static_assert(sizeof...(Arguments) > 0, "vjp expects an argument");
    detail::LeafPointers seeds;
    seeds.add(cotangent);
    Core::Answer answer = run(caller, detail::CompiledMode::Vjp, seeds.tensors(), arguments...);
    return WithDerivative<Result<Arguments...>, typename detail::Alone<Arguments...>::type>{
        valueOf<Result<Arguments...>>(answer.results), likeArguments(answer.derivatives, arguments...)};
  }

  template <typename... Arguments>
  auto pushedForward(const Caller &caller, const std::tuple<const Arguments &...> &arguments,
                     const std::tuple<const Arguments &...> &tangents) const {
    static_assert(sizeof...(Arguments) > 0, "jvp expects an argument");
    detail::LeafPointers seeds;
    std::apply([&](const auto &...tangent) { (seeds.add(tangent), ...); }, tangents);
    Core::Answer answer = std::apply(
        [&](const auto &...argument) { return run(caller, detail::CompiledMode::Jvp, seeds.tensors(), argument...); },
        arguments);
    using Value = Result<Arguments...>;
    Core::Leaves moved{answer.derivatives, answer.results.sizes};
    return WithDerivative<Value, Value>{valueOf<Value>(answer.results), valueOf<Value>(moved)};
  }

  std::shared_ptr<Shared> shared_;
};

/// A compiled function that belongs to no runtime: each call runs on the runtime of its arguments, or of the current
/// session if it has none.
template <typename Function> CompiledFunction<std::decay_t<Function>> compile(Function &&function) {
  return {nullptr, std::forward<Function>(function)};
}

template <typename Function> CompiledFunction<std::decay_t<Function>> EagerRuntime::compile(Function &&function) {
  return {shared_from_this(), std::forward<Function>(function)};
}

#undef TENFERRO_CALL_TYPES
#undef TENFERRO_CALL_ARGUMENTS
#undef TENFERRO_CALL_GIVEN
#undef TENFERRO_LONG_CALLS

} // namespace tenferro

#endif // TENFERRO_COMPILE_H
