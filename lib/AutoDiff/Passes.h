// The passes of lib/AutoDiff, generated from Passes.td. Derive.h has the same transforms as functions.
#ifndef TENFERRO_AUTODIFF_PASSES_H
#define TENFERRO_AUTODIFF_PASSES_H

#include "dialects/tenferro/TenferroDialect.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
}
} // namespace mlir

namespace tenferro::compiler {

#define GEN_PASS_DECL
#include "lib/AutoDiff/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/AutoDiff/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_PASSES_H
