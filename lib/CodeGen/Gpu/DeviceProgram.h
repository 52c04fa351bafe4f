// The host's side of a program for a device: its buffers, and the module its kernels go to.
#ifndef TENFERRO_CODEGEN_GPU_DEVICEPROGRAM_H
#define TENFERRO_CODEGEN_GPU_DEVICEPROGRAM_H

#include "lib/CodeGen/Gpu/Operand.h"
#include "runtime/program/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

#include <string>
#include <vector>

namespace tenferro::compiler {

/// Builds the host function and resolves the program's values to operands of kernels.
class DeviceProgram {
public:
  /// Starts the host function and the kernel module in `module`. `fallible`: there is a status word.
  DeviceProgram(mlir::ModuleOp module, const runtime::Program &program, llvm::StringRef name, mlir::Location loc,
                bool fallible, llvm::StringRef target);

  mlir::OpBuilder &host() { return host_; }
  mlir::gpu::GPUModuleOp kernels() { return kernels_; }
  llvm::StringRef target() const { return target_; }

  /// Value `number` of the program.
  const Operand &operand(uint32_t number) const { return operands_[number]; }

  /// Memory for results in between that no plan knows: a buffer of these dimensions, freed at the end.
  Operand scratch(mlir::Type element, const Shape &shape, DType dtype);

  /// The status word's buffer.
  mlir::Value status() const { return status_; }

  /// "NAME_0_LABEL", "NAME_1_LABEL", ..., in characters that device code takes.
  std::string nextKernelName(llvm::StringRef label);
  int kernelCount() const { return count_; }

  /// Marks that something did not lower; the diagnostic is out already.
  void fail() { failed_ = true; }

  /// Ends the host function.
  mlir::LogicalResult finish();

  /// The buffer type of `count` elements.
  static mlir::MemRefType bufferType(mlir::Type element, int64_t count);

private:
  Operand resolve(const runtime::Program &program, const runtime::ProgramValue &value);
  mlir::Value constantsBuffer(const runtime::Program &program);
  mlir::Value viewOf(mlir::Value bytes, int64_t offset, mlir::Type element, int64_t count);

  mlir::ModuleOp module_;
  std::string name_; ///< as symbols of device code may be spelled
  std::string target_;
  mlir::OpBuilder host_;
  mlir::func::FuncOp function_;
  mlir::gpu::GPUModuleOp kernels_;
  std::vector<Operand> operands_;
  llvm::SmallVector<mlir::Value> results_, scratch_;
  mlir::Value arena_, constants_, status_;
  int count_ = 0;
  bool failed_ = false;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_DEVICEPROGRAM_H
