// One line per dialect and per library with passes.
#include "tools/tenferro-opt/RegisterAll.h"

#include "dialects/tenferro/TenferroDialect.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/CodeGen/Cpu/CpuKernelsPass.h"
#include "lib/Compiler/GpuPipelines.h"
#include "lib/Compiler/Pipelines.h"
#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "lib/Conversion/TenferroToLinalg/TenferroToLinalg.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void tenferro::compiler::registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
              mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
              mlir::vector::VectorDialect, tenferro::ir::TenferroDialect>();
  mlir::func::registerInlinerExtension(registry);
  registerGpuDialects(registry);
}

void tenferro::compiler::registerAllPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
  mlir::registerLocationSnapshotPass();
  mlir::registerPrintIRPass();

  registerCpuCodeGenPasses();
  registerExpandMathPasses();
  registerTenferroToLinalgPasses();
  registerTenferroAutoDiffPasses();
  registerTenferroTransformsPasses();

  registerPipelines();
  registerGpuPipelines();
}
