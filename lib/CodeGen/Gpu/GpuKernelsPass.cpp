// The pass that turns lowered functions into device kernels and their launches.
#include "lib/CodeGen/Gpu/GpuKernelsPass.h"

#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Gpu/Coverage.h"
#include "lib/CodeGen/Gpu/ElementBody.h"
#include "lib/CodeGen/Gpu/Launches.h"
#include "lib/CodeGen/Program/ProgramEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_GPUKERNELSPASS
#include "lib/CodeGen/Gpu/Passes.h.inc"

using runtime::LaunchKind;

/// Whether the launch may need the status word.
static bool mayFail(const runtime::Launch &launch, Operation *origin) {
  switch (launch.kind) {
  case LaunchKind::Take:
  case LaunchKind::ScatterAdd:
    return true;
  case LaunchKind::Gather:
  case LaunchKind::Scatter:
    return launch.windows->mode == IndexMode::Error;
  case LaunchKind::Map:
  case LaunchKind::Reduce:
    return isFallible(origin);
  default:
    return false;
  }
}

static void emit(DeviceProgram &program, const DeviceLaunch &launch) {
  switch (launch.launch.kind) {
  case LaunchKind::Map:
    return emitMap(program, launch);
  case LaunchKind::Reduce:
    return emitReduce(program, launch);
  case LaunchKind::Matmul:
    return emitDotGeneral(program, launch);
  case LaunchKind::Take:
    return emitTake(program, launch);
  case LaunchKind::ScatterAdd:
    return emitScatterAdd(program, launch);
  case LaunchKind::Pad:
    return emitPad(program, launch);
  case LaunchKind::Copy:
    return emitCopy(program, launch);
  case LaunchKind::CumulativeSum:
    return emitCumulativeSum(program, launch);
  case LaunchKind::ArgMax:
  case LaunchKind::ArgMin:
    return emitPosition(program, launch);
  case LaunchKind::Gather:
    return emitGather(program, launch);
  case LaunchKind::Scatter:
    return emitScatter(program, launch);
  case LaunchKind::ScatterPrefix:
  case LaunchKind::Callback:
    break; // refused before
  }
}

/// Replaces `function`; the number of kernels, or failure after diagnostics.
static FailureOr<int> convertFunction(ModuleOp module, func::FuncOp function, StringRef target) {
  if (failed(checkPlannable(function)) || failed(checkCoverage(function, target)))
    return failure();
  BufferPlan plan(function);
  FailureOr<EmittedProgram> emitted = emitProgram(function, plan);
  if (failed(emitted))
    return failure();
  const runtime::Program &source = emitted->program;
  for (Operation *origin : emitted->origins)
    if (failed(checkBody(origin)))
      return failure();
  bool fallible = false;
  for (auto [launch, origin] : llvm::zip_equal(source.launches, emitted->origins))
    fallible |= mayFail(launch, origin);
  std::string name = function.getSymName().str();
  function.setSymName(name + "_tensors"); // until it is gone
  DeviceProgram program(module, source, name, function.getLoc(), fallible, target);
  for (auto [launch, origin] : llvm::zip_equal(source.launches, emitted->origins)) {
    DeviceLaunch resolved{launch, origin, {}, {}};
    size_t inputs = launch.operands.size() - launch.outputs;
    for (auto [i, number] : llvm::enumerate(launch.operands))
      (i < inputs ? resolved.inputs : resolved.outputs).push_back(program.operand(number));
    emit(program, resolved);
  }
  if (failed(program.finish()))
    return failure();
  function.erase();
  return program.kernelCount();
}

namespace {
struct GpuKernelsPass : impl::GpuKernelsPassBase<GpuKernelsPass> {
  using GpuKernelsPassBase::GpuKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (target != "spirv" && target != "nvvm") {
      module.emitError("expects the target spirv or nvvm, but got '") << std::string(target) << "'";
      return signalPassFailure();
    }
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), UnitAttr::get(&getContext()));
    // All functions are tried, so that every missing kernel is reported.
    bool allLowered = true;
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      FailureOr<int> made = convertFunction(module, function, target);
      allLowered &= succeeded(made);
      kernels += succeeded(made) ? *made : 0;
    }
    if (!allLowered)
      signalPassFailure();
  }
};
} // namespace

} // namespace tenferro::compiler
