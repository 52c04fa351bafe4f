// Writes one kernel: a gpu.func over flat buffers, and its launch in the host function.
#ifndef TENFERRO_CODEGEN_GPU_KERNELWRITER_H
#define TENFERRO_CODEGEN_GPU_KERNELWRITER_H

#include "lib/CodeGen/Gpu/DeviceProgram.h"

namespace tenferro::compiler {

/// Groups and threads of a launch, both along x.
struct Grid {
  int64_t groups, threads;

  /// A thread per element, as far as there are groups enough: the rest is walked by a loop.
  static Grid forElements(int64_t count);
  /// A group of `threads` per piece of work, likewise.
  static Grid forGroups(int64_t count, int64_t threads);
};

/// While it lives the kernel's body is under construction; `finish` ends the kernel and launches it.
class KernelWriter {
public:
  using Body = llvm::function_ref<void(mlir::Value i)>;
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value i, mlir::ValueRange carried)>;

  /// Starts a kernel that takes the buffers of `operands`, each once, and the status word if it is `fallible`.
  KernelWriter(DeviceProgram &program, mlir::Location loc, llvm::StringRef label, llvm::ArrayRef<Operand> operands,
               Grid grid, bool fallible = false);

  mlir::OpBuilder &ops() { return builder_; }
  mlir::Location loc() const { return loc_; }

  mlir::Value group();
  mlir::Value thread();
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b); ///< unsigned, as rem
  mlir::Value rem(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b); ///< signed
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value zero(mlir::Type type);

  /// The coordinates of element `linear` of `shape`, the first dimension fastest.
  llvm::SmallVector<mlir::Value> coordinates(mlir::Value linear, const Shape &shape);

  mlir::Type elementType(const Operand &operand);
  mlir::Value load(const Operand &operand, mlir::ValueRange coordinates);
  void store(mlir::Value value, const Operand &operand, mlir::ValueRange coordinates);

  /// Memory of the group.
  mlir::Value groupMemory(mlir::Type element, int64_t count);
  void barrier();

  /// `body` for every i < count that is this thread's, of a grid made by `Grid::forElements`.
  void forEachElement(int64_t count, Body body);
  /// `body` for every i < count that is this group's; every thread of the group gets there.
  void forEachGroup(int64_t count, Body body);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// `condition ? then() : otherwise`, without evaluating `then` where the condition does not hold.
  mlir::Value valueWhen(mlir::Value condition, llvm::function_ref<mlir::Value()> then, mlir::Value otherwise);
  llvm::SmallVector<mlir::Value> loop(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange carried,
                                      LoopBody body);

  /// Reports `error` of the operation at `loc` where `condition` holds, as `tenferro.raise_if` in a scalar body does.
  void raiseIf(mlir::Value condition, mlir::Location loc, runtime::KernelError error);

  /// Expands functions and errors, ends the kernel, launches it. What does not lower is reported to the program.
  void finish();

private:
  void walkTo(mlir::Value first, int64_t count, int64_t step, bool onePass, Body body);
  mlir::Value place(const Operand &operand, mlir::ValueRange coordinates);
  void lowerRaises();

  DeviceProgram &program_;
  mlir::Location loc_;
  std::string label_;
  Grid grid_;
  mlir::OpBuilder builder_;
  mlir::gpu::GPUFuncOp function_;
  llvm::SmallVector<mlir::Value> buffers_; ///< of the host, by argument
  mlir::Value status_;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_KERNELWRITER_H
