// One call of a user's operation: how its sugar (scalars, promotion, broadcasting, negative axes) becomes IR-level
// operations, and under which name its errors arrive.
#ifndef TENFERRO_EAGER_SURFACE_SESSIONCALL_H
#define TENFERRO_EAGER_SURFACE_SESSIONCALL_H

#include "lib/Core/Expected.h"
#include "lib/Eager/Trace/Recorder.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace tenferro::eager {

class BlockedRun;

/// Lives as long as the call of one session method. Everything it raises names the method's operation and the user's
/// source line, whatever IR-level operation found the fault.
class SessionCall {
public:
  /// Errors: as `requireTensor` of each of `tensors`.
  SessionCall(const EagerSession &session, std::string_view op, const std::source_location &where,
              std::initializer_list<const EagerTensor *> tensors = {})
      : runtime_(session.runtime()), engine_(session.engine()), op_(op), where_(where) {
    for (const EagerTensor *tensor : tensors)
      requireTensor(*tensor);
  }

  std::string_view op() const noexcept { return op_; }
  const std::source_location &where() const noexcept { return where_; }

  /// One IR-level operation of any number of operands.
  EagerTensor apply(core::OpKind kind, std::span<const EagerTensor *const> operands,
                    const core::Attributes &attributes) const;
  /// One IR-level operation; operands have the shapes and dtypes it asks for.
  EagerTensor apply(core::OpKind kind, std::initializer_list<const EagerTensor *> operands,
                    const core::Attributes &attributes = {}) const {
    return apply(kind, std::span<const EagerTensor *const>(operands.begin(), operands.size()), attributes);
  }

  /// What `body` returns. The operations of this call in it, those around the shape of `x`, need not run one after the
  /// other over all elements: where there are many, all of them run on one block of elements after the other, with the
  /// same bits. Tensors made in `body` have values when this returns, so only its result may leave it.
  template <typename Body> EagerTensor inBlocks(const EagerTensor &x, const Body &body) const {
    if (!isWorthBlocks(x)) [[likely]]
      return body();
    return runInBlocks(x, [](const void *context) { return (*static_cast<const Body *>(context))(); }, &body);
  }

  [[noreturn]] void fail(Failure failure) const;
  [[noreturn]] void fail(ErrorKind kind, std::string_view argument, std::string message,
                         std::initializer_list<const EagerTensor *> facts = {}) const;

  /// The value, or the failure under this call's name.
  template <typename T> T check(core::Expected<T> result) const {
    if (!result)
      fail(std::move(result.failure()));
    return std::move(*result);
  }

  /// A captured number of a float dtype, repeated to `shape` (one element in memory). Unsupported for dtypes without
  /// kernels.
  EagerTensor number(double value, DType dtype, const Shape &shape = {}) const;

  /// A scalar operand as a captured number of `dtype`, repeated to `shape`. Errors: DTypeMismatch for a real number
  /// where the dtype is no float; InvalidArgument for an integer that the dtype does not hold.
  EagerTensor scalar(const Operand &operand, DType dtype, const Shape &shape = {}) const;

  /// The same tensor in another dtype or shape; the handle itself where nothing changes. `broadcast` is right aligned.
  EagerTensor promote(const EagerTensor &x, DType dtype) const;
  EagerTensor broadcast(const EagerTensor &x, const Shape &shape) const;
  EagerTensor reshape(const EagerTensor &x, const Shape &shape) const;
  /// From `start` to before `limit` along an axis of [0, rank).
  EagerTensor part(const EagerTensor &x, int64_t axis, int64_t start, int64_t limit) const;
  /// Tensors of one dtype and rank, one after the other along an axis.
  EagerTensor join(const std::vector<EagerTensor> &tensors, int64_t axis) const;

  /// Operands of one dtype and shape: `a` and `b` promoted and broadcast.
  struct Pair {
    EagerTensor a, b;
  };
  /// The operands as tensors of one dtype: scalars take the other's, tensors promote.
  Pair promotePair(const Operand &a, const Operand &b) const;

  /// An element-wise operation of two operands.
  EagerTensor binary(core::OpKind kind, const Operand &a, const Operand &b,
                     const core::Attributes &attributes = {}) const;
  EagerTensor binary(core::OpKind kind, const EagerTensor &a, const EagerTensor &b,
                     const core::Attributes &attributes = {}) const;
  EagerTensor unary(core::OpKind kind, const EagerTensor &x) const { return apply(kind, {&x}); }
  /// `a` where `predicate` is true, else `b`; all three broadcast.
  EagerTensor select(const EagerTensor &predicate, const EagerTensor &a, const EagerTensor &b) const;

  int64_t axis(int64_t axis, int64_t rank) const;
  IntList axes(const Axes &axes, int64_t rank) const;
  /// A reduction over normalised, ascending axes.
  EagerTensor reduce(core::OpKind kind, const EagerTensor &x, const IntList &axes, bool keepDims) const;

  /// InvalidArgument if it is empty; ContextMismatch if it is of another runtime.
  void requireTensor(const EagerTensor &x) const;

  /// DTypeMismatch unless the elements are floats.
  void requireFloat(const EagerTensor &x) const;

private:
  bool isWorthBlocks(const EagerTensor &x) const noexcept;
  EagerTensor runInBlocks(const EagerTensor &x, EagerTensor (*body)(const void *), const void *context) const;
  /// What `body` returns; errors come under this call's name.
  template <typename Body> auto named(const Body &body) const;

  EagerRuntime &runtime_;
  ExecutionEngine &engine_;
  std::string_view op_;
  const std::source_location &where_;
  mutable BlockedRun *blocks_ = nullptr; ///< while `inBlocks` collects
};

/// Appends a list as `AttributeKind::IntArray` and `ResultShape` lay it out: the count, then the values.
void appendList(core::Attributes &attributes, const IntList &list);

/// `shape` with extent 1 (`keepDims`) or no extent at the ascending `axes`.
Shape reducedShape(const Shape &shape, const IntList &axes, bool keepDims);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_SURFACE_SESSIONCALL_H
