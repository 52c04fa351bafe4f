// Your own rules and kernels: functions with derivative rules of their own, and extension families with kernels.
#ifndef TENFERRO_EXTENSION_H
#define TENFERRO_EXTENSION_H

#include "tenferro/Cache.h"
#include "tenferro/EagerSession.h"
#include "tenferro/EagerTensor.h"
#include "tenferro/Engine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenferro {

namespace eager {
class ExtensionCache;
class ExtensionModuleState;
struct CustomDefinition;
} // namespace eager
namespace detail {
struct ExtensionAccess;
} // namespace detail

using TensorList = std::vector<EagerTensor>;

//===- Functions with rules of their own ------------------------------------------------------------------------===//

/// The function: inputs to results, written in operations of the current session.
using CustomBody = std::function<TensorList(const TensorList &inputs)>;
/// A rule: the function's inputs, its results, and one tangent (jvp) per float input or one cotangent (vjp) per float
/// result. Returns one tangent per float result, or one cotangent per float input, of their shape and dtype.
using CustomRule =
    std::function<TensorList(const TensorList &inputs, const TensorList &outputs, const TensorList &derivatives)>;
/// The transpose of a linear function: one cotangent per float result to one per float input.
using CustomTranspose = std::function<TensorList(const TensorList &cotangents)>;

namespace detail {

[[noreturn]] TENFERRO_EXPORT void raiseNotOne(std::string_view what, size_t count);

inline const EagerTensor &theOne(std::string_view what, const TensorList &list) {
  if (list.size() != 1)
    raiseNotOne(what, list.size());
  return list[0];
}

/// A callable on lists as it is; one on single tensors for functions of one input and one result.
template <typename Function> CustomBody asBody(Function function) {
  if constexpr (std::is_invocable_r_v<TensorList, Function &, const TensorList &>)
    return function;
  else
    return [function](const TensorList &inputs) { return TensorList{function(theOne("inputs", inputs))}; };
}
template <typename Function> CustomRule asRule(Function function) {
  if constexpr (std::is_invocable_r_v<TensorList, Function &, const TensorList &, const TensorList &,
                                      const TensorList &>)
    return function;
  else
    return [function](const TensorList &inputs, const TensorList &outputs, const TensorList &derivatives) {
      return TensorList{
          function(theOne("inputs", inputs), theOne("results", outputs), theOne("derivatives", derivatives))};
    };
}

} // namespace detail

/// A function that brings derivative rules, made by customJvp, customVjp or customLinear. Calling it computes at once;
/// when what it is given is tracked, the call is recorded as one operation and its rules are recorded with it, on
/// placeholders: they run then, not when a derivative is asked for, and their operations become part of derivative
/// programs. So rules are differentiated again, to any order, and nest. Tensors that the callables capture work; a
/// derivative by a tensor that the function itself captured is UnsupportedAdRule (pass it as an input), by one that
/// only a rule captured it follows from the rule's operations.
///
/// The function runs once to compute and, if recorded, once more on placeholders; a rule must not ask for values, nor
/// call its own function (it is given the results). Errors of a call: what the function or a rule throws, unchanged;
/// InvalidArgument, ShapeMismatch or DTypeMismatch, naming function and rule, for results of the wrong number, shape or
/// dtype; Unsupported for functions that call each other more than 64 deep. Errors of a derivative: InvalidArgument
/// for a jvp rule that is not linear in its tangents; UnsupportedAdRule naming function, role and order where there is
/// no rule. Thread safety: a call may be made from any thread if its callables allow that; copies share everything.
class TENFERRO_EXPORT CustomFunction {
public:
  /// On the current session (an open session or a Scope).
  TensorList operator()(const TensorList &inputs, std::source_location where = std::source_location::current()) const;
  /// One input, one result. Errors: also InvalidArgument for another number of results.
  EagerTensor operator()(const EagerTensor &input, std::source_location where = std::source_location::current()) const;
  const std::string &name() const noexcept;

private:
  friend struct detail::ExtensionAccess;
  explicit CustomFunction(std::shared_ptr<const eager::CustomDefinition> definition)
      : definition_(std::move(definition)) {}
  std::shared_ptr<const eager::CustomDefinition> definition_;
};

/// `function` with a forward rule, linear in the tangents; reverse derivatives transpose it.
/// Errors: InvalidArgument for an empty name or callable.
TENFERRO_EXPORT CustomFunction makeCustomJvp(std::string name, CustomBody function, CustomRule rule);
/// `function` with a reverse rule; forward derivatives are UnsupportedAdRule.
TENFERRO_EXPORT CustomFunction makeCustomVjp(std::string name, CustomBody function, CustomRule rule);
/// `function`, linear in its float inputs, with its transpose; its tangent is the function itself.
TENFERRO_EXPORT CustomFunction makeCustomLinear(std::string name, CustomBody function, CustomTranspose transpose);

/// The same with callables on lists or, for one input and one result, on single tensors:
///
///   auto cube = tenferro::customVjp("cube", [](const EagerTensor &x) { return x * x * x; },
///                                   [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return 3 *
///                                   x * x * ct; });
template <typename Function, typename Rule> CustomFunction customJvp(std::string name, Function function, Rule rule) {
  return makeCustomJvp(std::move(name), detail::asBody(std::move(function)), detail::asRule(std::move(rule)));
}
template <typename Function, typename Rule> CustomFunction customVjp(std::string name, Function function, Rule rule) {
  return makeCustomVjp(std::move(name), detail::asBody(std::move(function)), detail::asRule(std::move(rule)));
}
template <typename Function, typename Transpose>
CustomFunction customLinear(std::string name, Function function, Transpose transpose) {
  return makeCustomLinear(std::move(name), detail::asBody(std::move(function)), detail::asBody(std::move(transpose)));
}

//===- Extension families ---------------------------------------------------------------------------------------===//

/// Dtype and shape of a tensor.
struct TensorType {
  DType dtype = DType::F64;
  Shape shape;
  friend bool operator==(const TensorType &, const TensorType &) = default;
};

/// An operand of a kernel: contiguous, the leftmost index fastest. Borrowed for the call.
class KernelOperand {
public:
  /// `family`: for errors.
  KernelOperand(void *data, DType dtype, const Shape &shape, const std::string *family = nullptr)
      : data_(data), dtype_(dtype), shape_(&shape), family_(family) {}
  DType dtype() const noexcept { return dtype_; }
  const Shape &shape() const noexcept { return *shape_; }
  int64_t elementCount() const { return shape_->elementCount(); }
  void *raw() const noexcept { return data_; }

protected:
  TENFERRO_EXPORT void requireDType(DType dtype) const;

private:
  void *data_;
  DType dtype_;
  const Shape *shape_;
  const std::string *family_;
};

class KernelInput : public KernelOperand {
public:
  using KernelOperand::KernelOperand;
  /// Errors: DTypeMismatch unless T is the dtype's type (uint8_t also for bool).
  template <typename T> const T *data() const;
};

class KernelOutput : public KernelOperand {
public:
  using KernelOperand::KernelOperand;
  template <typename T> T *data() const;
};

/// What a kernel is lent for a call: the engine it runs on, and its family's cache.
class TENFERRO_EXPORT ExtensionContext {
public:
  ExecutionEngine &engine() const noexcept { return *engine_; }
  const std::string &family() const noexcept { return *family_; }
  const IntList &parameters() const noexcept { return *parameters_; }

  /// The plan or scratch of the family under (`cache`, `discriminator`); on a miss `build()` returns it with the bytes
  /// it retains. Others that ask for it meanwhile wait. The cache is bounded: see
  /// EagerRuntime::setExtensionCacheLimits. Errors: what `build` throws; InvalidArgument if the entry holds another
  /// type.
  template <typename Plan>
  std::shared_ptr<Plan> cached(std::string_view cache, uint64_t discriminator,
                               const std::function<std::pair<std::shared_ptr<Plan>, size_t>()> &build) const {
    static char type = 0; // its address names the type; not constant, so that no linker folds two of them
    return std::static_pointer_cast<Plan>(get(cache, discriminator, &type, [&] {
      auto [plan, bytes] = build();
      return std::pair<std::shared_ptr<void>, size_t>(std::move(plan), bytes);
    }));
  }

private:
  friend class eager::ExtensionModuleState;
  ExtensionContext(ExecutionEngine &engine, const std::string &family, uint64_t version, const IntList &parameters,
                   eager::ExtensionCache &cache)
      : engine_(&engine), family_(&family), version_(version), parameters_(&parameters), cache_(&cache) {}
  std::shared_ptr<void> get(std::string_view cache, uint64_t discriminator, const void *type,
                            const std::function<std::pair<std::shared_ptr<void>, size_t>()> &build) const;

  ExecutionEngine *engine_;
  const std::string *family_;
  uint64_t version_; ///< of the module: its plans are its own
  const IntList *parameters_;
  eager::ExtensionCache *cache_;
};

/// Fills the outputs from the inputs; pure, as it may run again or not at all. Called from any thread, several at a
/// time, in the default floating-point environment. What it throws passes through unchanged.
using ExtensionKernel = std::function<void(ExtensionContext &context, const std::vector<KernelInput> &inputs,
                                           const std::vector<KernelOutput> &outputs)>;
/// Types of the results; throws (an ExtensionError, say) for inputs that break a rule of the family.
using ExtensionShapeRule =
    std::function<std::vector<TensorType>(const std::vector<TensorType> &inputs, const IntList &parameters)>;

/// What a rule of a family is given beside derivatives. Tensors outside of the rule's residual mask are empty handles.
struct RuleContext {
  const TensorList &inputs;
  const TensorList &outputs;
  const IntList &parameters;
};
/// As CustomRule. It may capture numbers, but no tensors.
using ExtensionRule = std::function<TensorList(const RuleContext &context, const TensorList &derivatives)>;

/// Which tensors a rule reads, by bit; the recording keeps those alone.
struct RuleResiduals {
  uint64_t inputs = ~uint64_t{0};
  uint64_t outputs = ~uint64_t{0};
};

/// A family as its author writes it down. Rules are optional: reverse derivatives take `vjp` if it is there, else `jvp`
/// and transpose what it did; a family that is linear in some inputs needs `transpose` for those and nothing else.
struct ExtensionSpec {
  std::string family; ///< "<owner>.<op>.v<major>"
  ExtensionShapeRule shape;
  /// Programs name the family, also those on disk: they call the kernels of the process that runs them.
  std::vector<std::pair<EngineKind, ExtensionKernel>> kernels = {};
  ExtensionRule jvp = nullptr; ///< derivatives: a tangent per float input; linear in them
  RuleResiduals jvpResiduals = {};
  ExtensionRule vjp = nullptr; ///< derivatives: a cotangent per float result
  RuleResiduals vjpResiduals = {};
  /// Derivatives: a cotangent per float result; returns one per linear input. Linear inputs and results are empty
  /// handles.
  ExtensionRule transpose = nullptr;
  RuleResiduals transposeResiduals = {};
  std::vector<bool> linearInputs = {}; ///< with `transpose`: one flag per input; all float ones if empty
};

/// A family to install with EagerRuntime::installExtension. Copies are the same registration; two modules of one family
/// are two, the later replaces the earlier. Thread safety: immutable.
class TENFERRO_EXPORT ExtensionModule {
public:
  /// Errors: InvalidArgument for a malformed family id, a missing shape rule, or no kernel.
  explicit ExtensionModule(ExtensionSpec spec);
  const std::string &family() const noexcept;
  /// Unique in the process; the "rule version" of explainCache.
  uint64_t version() const noexcept;

private:
  friend struct detail::ExtensionAccess;
  std::shared_ptr<const eager::ExtensionModuleState> state_;
};

/// An error of a family, to be thrown by its kernels and rules: `op()` is the family.
class TENFERRO_EXPORT ExtensionError : public Error {
public:
  ExtensionError(std::string family, std::string message, ErrorKind kind = ErrorKind::InvalidArgument);
  ~ExtensionError() override;
  const std::string &family() const noexcept { return op(); }
};

/// `EagerSession::extension` on the current session.
TENFERRO_EXPORT TensorList extension(std::string_view family, const TensorList &inputs, const IntList &parameters = {},
                                     std::source_location where = std::source_location::current());

template <typename T> const T *KernelInput::data() const {
  if (!(sizeof(T) == 1 && dtype() == DType::Bool))
    requireDType(dtypeOf<T>);
  return static_cast<const T *>(raw());
}
template <typename T> T *KernelOutput::data() const {
  if (!(sizeof(T) == 1 && dtype() == DType::Bool))
    requireDType(dtypeOf<T>);
  return static_cast<T *>(raw());
}

} // namespace tenferro

#endif // TENFERRO_EXTENSION_H
