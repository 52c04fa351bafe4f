// Asking why: the derivative as a program one can read, what is kept for it, and where a NaN came from.
#ifndef TENFERRO_EXPLAIN_H
#define TENFERRO_EXPLAIN_H

#include "tenferro/EagerTensor.h"

#include <string>

namespace tenferro {

/// The program that computes the gradient of `output` by `wrt`, as `grad` would run it: MLIR that tenferro-opt and
/// tenferro-run read, with the user's source line above the operations that come from it and, behind each, the primal
/// operation, and the term its rule made ("mul: cotangent of operand 0"). Values kept from the forward pass are
/// arguments. Of an output that is no scalar, the cotangent is an argument too. Compiles nothing and runs nothing.
/// Errors: ContextMismatch; ValidationError on "wrt" where the gradient is structurally zero; UnsupportedAdRule.
TENFERRO_EXPORT std::string explainGradient(const EagerTensor &output, const EagerTensor &wrt,
                                            std::source_location where = std::source_location::current());

/// The same by every variable that `output` depends on: the program of `backward`.
TENFERRO_EXPORT std::string explainGradient(const EagerTensor &output,
                                            std::source_location where = std::source_location::current());

/// What the recording of `output` keeps for `backward` beside its variables and constants: of each value its bytes, the
/// operations of the derivative that need it, and what it would cost to compute it again from what is there anyway, in
/// flops (counted in the operation as expanded; a fused multiply-add is two) and bytes read and written. Errors: as
/// explainGradient.
TENFERRO_EXPORT std::string explainResiduals(const EagerTensor &output,
                                             std::source_location where = std::source_location::current());

/// While alive, every operation of this thread, and every derivative it asks for, is checked: the first one that makes
/// a NaN or an infinity from finite values raises a NumericsError that names it and the user's line. Derivatives run op
/// by op meanwhile, on the precompiled kernels, with the same bits. Nests. Thread safety: stays in its thread.
class TENFERRO_EXPORT [[nodiscard]] NumericsGuard {
public:
  NumericsGuard();
  ~NumericsGuard();
  NumericsGuard(const NumericsGuard &) = delete;
  NumericsGuard &operator=(const NumericsGuard &) = delete;
};

/// "auto guard = checkNumerics();".
inline NumericsGuard checkNumerics() { return NumericsGuard(); }

} // namespace tenferro

#endif // TENFERRO_EXPLAIN_H
