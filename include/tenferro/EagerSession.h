// The operations, as methods of a session on an engine.
#ifndef TENFERRO_EAGERSESSION_H
#define TENFERRO_EAGERSESSION_H

#include "tenferro/EagerTensor.h"
#include "tenferro/Indexing.h"

namespace tenferro {

/// Directions of `compare`.
enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// Dimension numbers of `dotGeneral`; axes may be negative. The result is lhs free, rhs free, batch.
struct DotDimensions {
  IntList lhsContracting, rhsContracting, lhsBatch, rhsBatch;
};

enum class LossReduction : uint8_t { None, Sum, Mean };

struct CrossEntropyOptions {
  int64_t axis = -1; ///< the class axis of the logits
  LossReduction reduction = LossReduction::Mean;
  double labelSmoothing = 0; ///< in [0, 1]
};

/// Axes to reduce: all of them unless given. An empty list is the identity.
class Axes {
public:
  Axes() = default;
  Axes(int64_t axis) : all_(false), list_{axis} {}
  Axes(std::initializer_list<int64_t> axes) : all_(false), list_(axes) {}
  Axes(IntList axes) : all_(false), list_(std::move(axes)) {}
  bool all() const noexcept { return all_; }
  const IntList &list() const noexcept { return list_; }

private:
  bool all_ = true;
  IntList list_;
};

/// Runs operations at once on a borrowed engine and records those with a tracked input. Binary operations broadcast as
/// NumPy does (right aligned) and promote: bool < integers < floats < complex, int with float is that float. Negative
/// axes count from the back. Every method raises a typed error for shapes, dtypes or axes that break its rule, and
/// ContextMismatch for a tensor of another runtime. Thread safety: one session belongs to the thread that opened it,
/// and ends there.
class TENFERRO_EXPORT EagerSession {
public:
  using Where = std::source_location;
  EagerSession(const EagerSession &) = delete;
  EagerSession &operator=(const EagerSession &) = delete;

  EagerRuntime &runtime() const noexcept { return *runtime_; }
  ExecutionEngine &engine() const noexcept { return *engine_; }

  // Creation. Untracked.
  /// A captured value of this runtime, as `EagerRuntime::constant`.
  EagerTensor constant(const Tensor &value, Where where = Where::current());
  /// The coordinate along `axis` of each element. Errors: DTypeMismatch for bool; AxisOutOfRange.
  EagerTensor iota(const Shape &shape, int64_t axis, DType dtype, Where where = Where::current());

  // Arithmetic, element by element, in the promoted dtype and the broadcast shape; integers wrap. Errors:
  // ShapeMismatch; DTypeMismatch for bool operands (but add is or, mul is and) and for a real scalar beside integers;
  // InvalidArgument for an integer scalar out of range.
  EagerTensor add(Operand a, Operand b, Where where = Where::current());
  EagerTensor sub(Operand a, Operand b, Where where = Where::current());
  EagerTensor mul(Operand a, Operand b, Where where = Where::current());
  EagerTensor div(Operand a, Operand b,
                  Where where = Where::current()); ///< integers truncate; a zero divisor is DivisionByZero
  EagerTensor pow(Operand a, Operand b,
                  Where where = Where::current()); ///< a negative integer exponent is InvalidArgument
  EagerTensor maximum(Operand a, Operand b, Where where = Where::current()); ///< NaN if either is
  EagerTensor minimum(Operand a, Operand b, Where where = Where::current());
  /// Floats only.
  EagerTensor strongZeroMul(Operand s, Operand t, Where where = Where::current()); ///< 0 where t is 0, whatever s
  EagerTensor neg(const EagerTensor &x, Where where = Where::current());
  /// Derivative 0 at 0.
  EagerTensor abs(const EagerTensor &x, Where where = Where::current());
  /// -1, 0 or 1; NaN of NaN. Derivative 0.
  EagerTensor sign(const EagerTensor &x, Where where = Where::current());
  /// The remainder with the sign of a: C's fmod, exact; of integers what truncating division leaves. A zero integer divisor is
  /// DivisionByZero.
  EagerTensor rem(Operand a, Operand b, Where where = Where::current());
  /// a / b rounded down, of floats too. No derivative. A zero integer divisor is DivisionByZero.
  EagerTensor floorDivide(Operand a, Operand b, Where where = Where::current());
  /// min(max(x, lower), upper); NaN if any is. Derivative to x strictly between the bounds, to the bound x is beyond, to none on
  /// a bound.
  EagerTensor clamp(Operand x, Operand lower, Operand upper, Where where = Where::current());
  /// To an integral float; halves round to the even one. Derivative 0. Errors: DTypeMismatch unless x is a float.
  EagerTensor floor(const EagerTensor &x, Where where = Where::current());
  EagerTensor ceil(const EagerTensor &x, Where where = Where::current());
  EagerTensor round(const EagerTensor &x, Where where = Where::current());
  EagerTensor trunc(const EagerTensor &x, Where where = Where::current());

  // Transcendental, element by element. Errors: DTypeMismatch unless the operand is a float.
  EagerTensor exp(const EagerTensor &x, Where where = Where::current());
  EagerTensor expm1(const EagerTensor &x, Where where = Where::current());
  EagerTensor log(const EagerTensor &x, Where where = Where::current());
  EagerTensor log1p(const EagerTensor &x, Where where = Where::current());
  EagerTensor sqrt(const EagerTensor &x, Where where = Where::current());
  EagerTensor rsqrt(const EagerTensor &x, Where where = Where::current());
  EagerTensor tanh(const EagerTensor &x, Where where = Where::current());
  EagerTensor sigmoid(const EagerTensor &x, Where where = Where::current());
  EagerTensor erf(const EagerTensor &x, Where where = Where::current());
  EagerTensor erfc(const EagerTensor &x, Where where = Where::current()); ///< 1 - erf(x)
  EagerTensor exp2(const EagerTensor &x, Where where = Where::current());
  EagerTensor log2(const EagerTensor &x, Where where = Where::current());
  EagerTensor log10(const EagerTensor &x, Where where = Where::current());
  EagerTensor cbrt(const EagerTensor &x, Where where = Where::current()); ///< of negative numbers too
  EagerTensor sin(const EagerTensor &x, Where where = Where::current());
  EagerTensor cos(const EagerTensor &x, Where where = Where::current());
  EagerTensor tan(const EagerTensor &x, Where where = Where::current());
  EagerTensor asin(const EagerTensor &x, Where where = Where::current());
  EagerTensor acos(const EagerTensor &x, Where where = Where::current());
  EagerTensor atan(const EagerTensor &x, Where where = Where::current());
  EagerTensor sinh(const EagerTensor &x, Where where = Where::current());
  EagerTensor cosh(const EagerTensor &x, Where where = Where::current());
  EagerTensor asinh(const EagerTensor &x, Where where = Where::current());
  EagerTensor acosh(const EagerTensor &x, Where where = Where::current());
  EagerTensor atanh(const EagerTensor &x, Where where = Where::current());
  /// x sigmoid(x).
  EagerTensor silu(const EagerTensor &x, Where where = Where::current());
  // Of two operands, as arithmetic; ShapeMismatch, and DTypeMismatch unless they promote to a float.
  /// The angle of the point (x, y), in [-pi, pi]. Derivative 0 at the origin.
  EagerTensor atan2(Operand y, Operand x, Where where = Where::current());
  /// sqrt(a^2 + b^2) without overflow inside. Derivative 0 at the origin.
  EagerTensor hypot(Operand a, Operand b, Where where = Where::current());
  /// log(exp(a) + exp(b)) without overflow inside.
  EagerTensor logAddExp(Operand a, Operand b, Where where = Where::current());
  /// a log(b), 0 where a is 0 unless b is NaN.
  EagerTensor xlogy(Operand a, Operand b, Where where = Where::current());

  // Comparison and choice: operands promote and broadcast. Comparisons give bool and are false with NaN, except
  // `notEqual`.
  EagerTensor compare(Comparison direction, Operand a, Operand b, Where where = Where::current());
  EagerTensor equal(Operand a, Operand b, Where where = Where::current());
  EagerTensor notEqual(Operand a, Operand b, Where where = Where::current());
  EagerTensor less(Operand a, Operand b, Where where = Where::current());
  EagerTensor lessEqual(Operand a, Operand b, Where where = Where::current());
  EagerTensor greater(Operand a, Operand b, Where where = Where::current());
  EagerTensor greaterEqual(Operand a, Operand b, Where where = Where::current());
  // Errors: DTypeMismatch unless x is a float.
  EagerTensor isNan(const EagerTensor &x, Where where = Where::current());
  EagerTensor isInf(const EagerTensor &x, Where where = Where::current());
  EagerTensor isFinite(const EagerTensor &x, Where where = Where::current());
  /// a where `predicate` (bool) is true, else b.
  EagerTensor where(const EagerTensor &predicate, Operand a, Operand b, Where where = Where::current());
  EagerTensor select(const EagerTensor &predicate, Operand a, Operand b, Where where = Where::current());
  EagerTensor convert(const EagerTensor &x, DType dtype,
                      Where where = Where::current()); ///< LossyConversion unless every value survives
  /// To an integer: truncates, saturates, NaN is 0; to bool: not equal to 0. Through integers nothing is
  /// differentiated.
  EagerTensor cast(const EagerTensor &x, DType dtype, Where where = Where::current());

  // Reductions: `axes` disappear, or stay with extent 1. Errors: AxisOutOfRange; DuplicateAxis; DTypeMismatch for bool.
  /// Of nothing: +0. In the fixed order of the reduction tree.
  EagerTensor sum(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  /// Of nothing: 1. The derivative is right where elements are zero, at every order.
  EagerTensor prod(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  EagerTensor sumSquares(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false,
                         Where where = Where::current());
  /// NaN if any element is; ties share the gradient evenly. Errors: EmptyReduction.
  EagerTensor max(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  EagerTensor min(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  /// Bool to bool: false of nothing and true of nothing. Errors: DTypeMismatch unless bool.
  EagerTensor any(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  EagerTensor all(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  /// Where along `axis` the largest element stands, as i64; without an axis a flat position, leftmost fastest. The
  /// first of equals, the first NaN if there is one. Not differentiated. Errors: EmptyReduction.
  EagerTensor argmax(const EagerTensor &x, std::optional<int64_t> axis = {}, bool keepDims = false,
                     Where where = Where::current());
  EagerTensor argmin(const EagerTensor &x, std::optional<int64_t> axis = {}, bool keepDims = false,
                     Where where = Where::current());
  /// Running sums along `axis`, one addition after the other; with `reverse` from the last element down.
  EagerTensor cumsum(const EagerTensor &x, int64_t axis, bool reverse = false, Where where = Where::current());
  /// Floats only; NaN of nothing.
  EagerTensor mean(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false, Where where = Where::current());
  /// Floats only: the mean squared distance to the mean, with n - `correction` (at least 0) for the number n of
  /// elements.
  EagerTensor var(const EagerTensor &x, const Axes &axes = {}, double correction = 0, bool keepDims = false,
                  Where where = Where::current());
  /// Its square root; the derivative is 0 where all elements are equal.
  EagerTensor stddev(const EagerTensor &x, const Axes &axes = {}, double correction = 0, bool keepDims = false,
                     Where where = Where::current());
  /// Floats only: (sum of |x|^p)^(1/p), for infinite p the largest or smallest |x|, for p = 0 how many elements are not
  /// zero (with derivative 0). Scaled where the powers would overflow or vanish. The derivative is 0 where x is 0.
  /// Errors: InvalidArgument for NaN; EmptyReduction of nothing for infinite p.
  EagerTensor norm(const EagerTensor &x, double p = 2, const Axes &axes = {}, bool keepDims = false,
                   Where where = Where::current());
  /// Floats only; -inf of nothing. Where all elements are -inf the gradient is 0.
  EagerTensor logsumexp(const EagerTensor &x, const Axes &axes = {}, bool keepDims = false,
                        Where where = Where::current());

  // Movement of any dtype. Results are O(1) views where strides allow.
  EagerTensor reshape(const EagerTensor &x, const Shape &shape,
                      Where where = Where::current()); ///< leftmost fastest; one extent may be -1
  /// Axis k of the result is axis `permutation[k]`. Errors: InvalidPermutation; AxisOutOfRange.
  EagerTensor transpose(const EagerTensor &x, const IntList &permutation, Where where = Where::current());
  EagerTensor transpose(const EagerTensor &x, Where where = Where::current()); ///< reverses the axes
  /// Right aligned, as NumPy does. Errors: ShapeMismatch.
  EagerTensor broadcastTo(const EagerTensor &x, const Shape &shape, Where where = Where::current());
  /// Axis k becomes axis `dims[k]` of `shape`; an extent of 1 repeats. Errors: RankMismatch; AxisOutOfRange;
  /// DuplicateAxis; ShapeMismatch.
  EagerTensor broadcastInDim(const EagerTensor &x, const Shape &shape, const IntList &dims,
                             Where where = Where::current());
  /// From `starts` to before `limits` in steps of `strides`, one entry per axis. Errors: SliceBounds; SliceStep;
  /// RankMismatch.
  EagerTensor slice(const EagerTensor &x, const IntList &starts, const IntList &limits, const IntList &strides,
                    Where where = Where::current());
  EagerTensor
  pad(const EagerTensor &x, const IntList &low, const IntList &high, const IntList &interior,
      Where where = Where::current()); ///< with zeros; negative low or high crops after the interior padding

  /// One after the other along an axis, in the promoted dtype. Errors: InvalidArgument if there is none; RankMismatch;
  /// ShapeMismatch; AxisOutOfRange.
  EagerTensor concatenate(const std::vector<EagerTensor> &tensors, int64_t axis, Where where = Where::current());
  /// Tensors of one shape along a new axis of the result. Errors: as `concatenate`.
  EagerTensor stack(const std::vector<EagerTensor> &tensors, int64_t axis = 0, Where where = Where::current());
  /// Consecutive parts along an axis. Errors: ShapeMismatch unless the sizes add up to its extent; InvalidArgument.
  std::vector<EagerTensor> split(const EagerTensor &x, const IntList &sizes, int64_t axis,
                                 Where where = Where::current());
  /// Backwards along each of the axes, a view. Errors: AxisOutOfRange; DuplicateAxis.
  EagerTensor reverse(const EagerTensor &x, const Axes &axes = {}, Where where = Where::current());
  /// `reps[k]` copies along axis k; the shorter of shape and `reps` is padded with ones on the left. Errors:
  /// InvalidArgument for a negative count.
  EagerTensor tile(const EagerTensor &x, const IntList &reps, Where where = Where::current());
  /// Each element `repeats` times along an axis. Errors: InvalidArgument for a negative count; AxisOutOfRange.
  EagerTensor repeat(const EagerTensor &x, int64_t repeats, int64_t axis, Where where = Where::current());
  /// What leaves an axis at its end comes in at its start, `shifts[k]` places along `axes[k]`. Errors: InvalidArgument
  /// unless there are as many shifts as axes; AxisOutOfRange.
  EagerTensor roll(const EagerTensor &x, const IntList &shifts, const IntList &axes, Where where = Where::current());
  /// Without these axes of extent 1; without any of them by default. Errors: InvalidArgument for another extent;
  /// AxisOutOfRange; DuplicateAxis.
  EagerTensor squeeze(const EagerTensor &x, const Axes &axes = {}, Where where = Where::current());
  /// With new axes of extent 1, counted in the result. Errors: AxisOutOfRange; DuplicateAxis.
  EagerTensor expandDims(const EagerTensor &x, const IntList &axes, Where where = Where::current());

  // Diagonals and triangles of any dtype. A matrix is axes 0 and 1, further axes are batch axes; diagonal k is where
  // the column is the row plus k.
  /// Zeros above diagonal k (`triu`: below it), whatever stood there. Errors: RankMismatch below rank 2.
  EagerTensor tril(const EagerTensor &x, int64_t k = 0, Where where = Where::current());
  EagerTensor triu(const EagerTensor &x, int64_t k = 0, Where where = Where::current());
  /// Of rank 1: the square matrix with x on diagonal k. Of rank 2: that diagonal. Errors: RankMismatch.
  EagerTensor diag(const EagerTensor &x, int64_t k = 0, Where where = Where::current());
  /// The diagonal of two axes as the last axis of the result, a view. Errors: AxisOutOfRange; DuplicateAxis.
  EagerTensor diagonal(const EagerTensor &x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
                       Where where = Where::current());
  /// Its sum. Errors: as `diagonal`; DTypeMismatch for bool.
  EagerTensor trace(const EagerTensor &x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
                    Where where = Where::current());
  /// The elements at equal coordinates of two axes: `axisB` goes away, `axisA` keeps its place with the shorter extent,
  /// a view. Errors: AxisOutOfRange; DuplicateAxis.
  EagerTensor extractDiag(const EagerTensor &x, int64_t axisA, int64_t axisB, Where where = Where::current());
  /// The elements of an axis on the diagonal of two, which count in the result; `axisB` is the new one. Errors: as
  /// `extractDiag`.
  EagerTensor embedDiag(const EagerTensor &x, int64_t axisA, int64_t axisB, Where where = Where::current());

  // Indexing. Indices are integers (or DTypeMismatch); negative ones count from the end; IndexOutOfRange beyond.
  /// The indices' axes replace `axis`; without one positions are flat, leftmost fastest. Errors: AxisOutOfRange.
  EagerTensor take(const EagerTensor &x, const EagerTensor &indices, std::optional<int64_t> axis = {},
                   Where where = Where::current());
  /// Zeros of `extent` along `axis`, plus slices of `updates` at the indices: `take` transposed. Errors: ShapeMismatch.
  EagerTensor scatterAdd(const EagerTensor &indices, const EagerTensor &updates, int64_t axis, int64_t extent,
                         Where where = Where::current());
  /// 1 at the index along a new axis, else 0, and outside [0, depth) zeros. Errors: AxisOutOfRange; InvalidArgument.
  EagerTensor oneHot(const EagerTensor &indices, int64_t depth, int64_t axis = -1, DType dtype = DType::F64,
                     Where where = Where::current());

  /// The element at the index along `axis` for each element of `indices`, whose other axes broadcast with those of x.
  /// Errors: RankMismatch; ShapeMismatch.
  EagerTensor takeAlongAxis(const EagerTensor &x, const EagerTensor &indices, int64_t axis,
                            Where where = Where::current());
  /// x with an update at the index along `axis` for each element of `indices`. Errors: RankMismatch; ShapeMismatch
  /// unless indices and updates have one shape, no longer than x along other axes; DTypeMismatch; as `scatter`.
  EagerTensor scatterAlongAxis(const EagerTensor &x, const EagerTensor &indices, const EagerTensor &updates,
                               int64_t axis, ScatterUpdate update = ScatterUpdate::Add, Where where = Where::current());
  /// Windows by the index of their first element, as StableHLO's gather. Errors: AxisOutOfRange; DuplicateAxis;
  /// RankMismatch; ShapeMismatch; SliceBounds; InvalidArgument.
  EagerTensor gather(const EagerTensor &x, const EagerTensor &indices, const GatherDimensions &dims,
                     const IntList &sliceSizes, IndexMode mode = IndexMode::Error, Where where = Where::current());
  /// x with updates combined into such windows, in ascending order of the updates' elements per target (leftmost
  /// fastest). Errors: as `gather`; DTypeMismatch.
  EagerTensor scatter(const EagerTensor &x, const EagerTensor &indices, const EagerTensor &updates,
                      const ScatterDimensions &dims, ScatterUpdate update = ScatterUpdate::Add,
                      IndexMode mode = IndexMode::Error, Where where = Where::current());
  /// The window of `sizes` from a start per axis (integer scalars). Errors: RankMismatch; SliceBounds.
  EagerTensor dynamicSlice(const EagerTensor &x, const std::vector<EagerTensor> &starts, const IntList &sizes,
                           IndexMode mode = IndexMode::Error, Where where = Where::current());
  /// x with `update` in the place of that window. Errors: RankMismatch; SliceBounds; DTypeMismatch.
  EagerTensor dynamicUpdateSlice(const EagerTensor &x, const EagerTensor &update,
                                 const std::vector<EagerTensor> &starts, IndexMode mode = IndexMode::Error,
                                 Where where = Where::current());

  // Contraction, in the promoted dtype. Errors: ShapeMismatch; RankMismatch; DTypeMismatch for bool; of axes as `sum`.
  EagerTensor dotGeneral(const EagerTensor &lhs, const EagerTensor &rhs, const DotDimensions &dims,
                         Where where = Where::current());
  /// Matrix product of rank 1 and 2 operands; further axes are batch axes and trail: [M, K, B...] x [K, N, B...].
  EagerTensor matmul(const EagerTensor &lhs, const EagerTensor &rhs, Where where = Where::current());

  // Composites, made of the operations above. Errors: DTypeMismatch unless the operand is a float.
  /// x where x > 0, else 0; NaN stays; derivative 0 at 0.
  EagerTensor relu(const EagerTensor &x, Where where = Where::current());
  /// x/2 (1 + erf(x / sqrt 2)).
  EagerTensor gelu(const EagerTensor &x, Where where = Where::current());
  /// x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu with tanh in place of erf.
  EagerTensor geluTanh(const EagerTensor &x, Where where = Where::current());
  /// log(1 + exp(x)), and its counterpart log(sigmoid(x)) = -softplus(-x).
  EagerTensor softplus(const EagerTensor &x, Where where = Where::current());
  EagerTensor logSigmoid(const EagerTensor &x, Where where = Where::current());
  /// Along one axis. A slice of only -inf gives zeros (`logSoftmax`: -inf) and no gradient; one with NaN or +inf is
  /// NaN.
  EagerTensor softmax(const EagerTensor &x, int64_t axis, Where where = Where::current());
  EagerTensor logSoftmax(const EagerTensor &x, int64_t axis, Where where = Where::current());
  /// (x - mean) / sqrt(var + epsilon) along one axis, times `weight`, plus `bias`, where those are given: rank 1, as
  /// long as the axis. Errors: InvalidArgument unless epsilon is at least 0; ShapeMismatch.
  EagerTensor layerNorm(const EagerTensor &x, int64_t axis, const EagerTensor &weight = {},
                        const EagerTensor &bias = {}, double epsilon = 1e-5, Where where = Where::current());
  /// x / sqrt(mean of squares + epsilon) along one axis, times `weight` where given. Errors as `layerNorm`.
  EagerTensor rmsNorm(const EagerTensor &x, int64_t axis, const EagerTensor &weight = {}, double epsilon = 1e-5,
                      Where where = Where::current());
  /// Of the broadcast operands; Mean is over all elements. Errors: ShapeMismatch.
  EagerTensor meanSquaredError(const EagerTensor &prediction, const EagerTensor &target,
                               LossReduction reduction = LossReduction::Mean, Where where = Where::current());
  /// e^2 / 2 where the error e is at most `delta` from 0, delta (abs(e) - delta / 2) beyond. Errors: InvalidArgument unless delta
  /// is positive and finite.
  EagerTensor huber(const EagerTensor &prediction, const EagerTensor &target, double delta = 1,
                    LossReduction reduction = LossReduction::Mean, Where where = Where::current());
  /// Targets: integer classes of the logits' shape without the class axis, or a distribution of the logits' shape.
  /// A class outside [0, classes) is IndexOutOfRange. Errors: ShapeMismatch; AxisOutOfRange; InvalidArgument.
  EagerTensor crossEntropy(const EagerTensor &logits, const EagerTensor &targets,
                           const CrossEntropyOptions &options = {}, Where where = Where::current());

  // Extensions.
  /// Runs the kernel of an installed extension family and records it as one operation. Include tenferro/Extension.h.
  /// Errors: RuntimeState if the family is not installed; Unsupported without a kernel for the engine's kind; what its shape rule
  /// and its kernel throw, unchanged.
  std::vector<EagerTensor> extension(std::string_view family, const std::vector<EagerTensor> &inputs,
                                     const IntList &parameters = {}, Where where = Where::current());

private:
  friend class EagerRuntime;
  friend class Scope;
  friend struct detail::EagerAccess;
  EagerSession(EagerRuntime &runtime, ExecutionEngine &engine) : runtime_(&runtime), engine_(&engine) {}
  /// Makes it the thread's current session, and takes it away again.
  void enter() noexcept;
  void leave() noexcept;

  EagerRuntime *runtime_;
  ExecutionEngine *engine_;
  EagerSession *previous_ = nullptr;
};

} // namespace tenferro

#endif // TENFERRO_EAGERSESSION_H
