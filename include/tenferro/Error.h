// Every error tenferro raises, as one family of exceptions.
#ifndef TENFERRO_ERROR_H
#define TENFERRO_ERROR_H

#include "tenferro/DType.h"
#include "tenferro/Export.h"
#include "tenferro/Shape.h"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenferro {

/// What rule was broken. Kinds are stable: tests, files and other languages name them by `name(kind)`.
enum class ErrorKind : uint8_t {
  ShapeMismatch,
  RankMismatch,
  DTypeMismatch,
  LossyConversion,
  AxisOutOfRange,
  DuplicateAxis,
  IndexOutOfRange,
  ElementCount,
  InvalidPermutation,
  SliceBounds,
  SliceStep,
  EmptyReduction,
  DivisionByZero,
  InvalidArgument,
  NonScalarGrad,
  InactiveGrad, ///< reported as a validation error on argument "wrt"
  ContextMismatch,
  UnsupportedAdRule,
  Unsupported,
  NotContiguous,
  OutOfMemory,
  RuntimeState,
  Io,
  NonFinite, ///< an operation made a NaN or an infinity while numerics were checked
  Internal,
};

/// "shape_mismatch", "index_out_of_range", ...
TENFERRO_EXPORT std::string_view name(ErrorKind kind) noexcept;

/// When the rule was broken.
enum class Phase : uint8_t { GraphBuild, Compile, Execution };
TENFERRO_EXPORT std::string_view name(Phase phase) noexcept;

/// The names, to a stream.
TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, ErrorKind kind);
TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, Phase phase);

/// One broken rule with its facts, as a value: what the rules of lib/Core return and what an exception carries.
struct Failure {
  ErrorKind kind = ErrorKind::Internal;
  Phase phase = Phase::GraphBuild;
  std::string op;       ///< the operation as the user names it: "add", "grad"
  std::string argument; ///< the argument at fault, or empty
  std::string message;  ///< lower case, no full stop: the rule, then the facts
  std::vector<Shape> shapes;
  std::vector<int64_t> axes;
  std::vector<DType> dtypes;
  std::vector<uint64_t> ids; ///< runtimes, for ContextMismatch
  std::string file;          ///< the user's source file, when known
  int line = 0;
};

/// Base of everything tenferro throws. `what()` reads "add: expects equal shapes, but got [2] and [3]", followed by
/// the user's file and line when they are known. Thread safety: immutable.
class TENFERRO_EXPORT Error : public std::runtime_error {
public:
  explicit Error(Failure failure);
  ~Error() override;

  const Failure &failure() const noexcept { return failure_; }
  ErrorKind kind() const noexcept { return failure_.kind; }
  Phase phase() const noexcept { return failure_.phase; }
  const std::string &op() const noexcept { return failure_.op; }
  const std::string &argument() const noexcept { return failure_.argument; }

private:
  Failure failure_;
};

/// A call whose arguments break a rule: shapes, dtypes, axes, indices, values.
class TENFERRO_EXPORT ValidationError : public Error {
public:
  using Error::Error;
  ~ValidationError() override;
};

/// backward or grad without a seed of a result that is not a scalar; `shape()` is the result's.
class TENFERRO_EXPORT NonScalarGrad : public Error {
public:
  using Error::Error;
  ~NonScalarGrad() override;
  const Shape &shape() const noexcept { return failure().shapes.front(); }
};

/// Tensors of two runtimes in one call; `failure().ids` are the runtimes' ids.
class TENFERRO_EXPORT ContextMismatch : public Error {
public:
  using Error::Error;
  ~ContextMismatch() override;
};

/// A derivative that the operation has no rule for.
class TENFERRO_EXPORT UnsupportedAdRule : public Error {
public:
  using Error::Error;
  ~UnsupportedAdRule() override;
};

/// Under `checkNumerics`: an operation made a NaN or an infinity from finite values. `op()` is the operation the user
/// wrote, the file and line are its own; the message says whether its forward or its derivative did.
class TENFERRO_EXPORT NumericsError : public Error {
public:
  using Error::Error;
  ~NumericsError() override;
};

/// The machine, the files or the library's own state: out of memory, i/o, unsupported CPU, internal.
class TENFERRO_EXPORT RuntimeError : public Error {
public:
  using Error::Error;
  ~RuntimeError() override;
};

/// Throws the exception class that belongs to the failure's kind.
[[noreturn]] TENFERRO_EXPORT void raise(Failure failure);

} // namespace tenferro

#endif // TENFERRO_ERROR_H
