// The passes of lib/Transforms, generated from Passes.td.
#ifndef TENFERRO_TRANSFORMS_PASSES_H
#define TENFERRO_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::func {
class FuncOp;
}

namespace tenferro::compiler {

#define GEN_PASS_DECL
#include "lib/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_PASSES_H
