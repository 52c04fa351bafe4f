// Runs the CPU code generator over the generics of a module and shows a stage of the result.
#include "lib/CodeGen/Cpu/CpuKernelsPass.h"

#include "lib/CodeGen/Cpu/CpuCodeGen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

#define GEN_PASS_DEF_CPUKERNELSPASS
#include "lib/CodeGen/Cpu/Passes.h.inc"

namespace {

/// Unit stride for memory, a progression for each coordinate the body asks for.
SmallVector<Access> accessOf(linalg::GenericOp generic) {
  SmallVector<Access> access(generic.getNumDpsInputs(), Access::Unit);
  std::set<uint64_t> dimensions;
  generic.walk([&](linalg::IndexOp index) { dimensions.insert(index.getDim()); });
  access.append(dimensions.size(), Access::Index);
  access.append(generic.getNumDpsInits(), Access::Unit);
  return access;
}

struct CpuKernelsPass : impl::CpuKernelsPassBase<CpuKernelsPass> {
  using CpuKernelsPassBase::CpuKernelsPassBase;

  void runOnOperation() override {
    if ((level != 3 && level != 4) || !llvm::is_contained({"vector", "llvm", "ir", "asm"}, stage)) {
      getOperation().emitError("expects level 3 or 4 and stage vector, llvm, ir or asm, but got level ")
          << int(level) << " and stage '" << std::string(stage) << "'";
      return signalPassFailure();
    }
    CpuModule kernels(&getContext(), static_cast<runtime::CpuLevel>(int(level)));
    int number = 0;
    auto walked = getOperation().walk([&](linalg::GenericOp generic) {
      std::string suffix = std::to_string(number++);
      SmallVector<Access> access = accessOf(generic);
      LogicalResult added = generic->hasAttr("tenferro.reduction")
                                ? kernels.addReduce("row" + suffix, "column" + suffix, generic, access, access)
                                : kernels.addMap("map" + suffix, generic, access);
      return failed(added) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    numKernels = number;
    if (stage == "ir" || stage == "asm") {
      auto print = [&](StringRef name, StringRef text) {
        if (name == (stage == "ir" ? "llvm" : "asm"))
          llvm::outs() << text;
      };
      if (failed(kernels.emitObject(print)))
        return signalPassFailure();
    } else if (stage == "llvm" && failed(kernels.convertToLLVM())) {
      return signalPassFailure();
    }
    Block *body = getOperation().getBody();
    body->clear();
    body->getOperations().splice(body->end(), kernels.module().getBody()->getOperations());
  }
};

} // namespace

} // namespace tenferro::compiler
