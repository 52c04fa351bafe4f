// Builds the code around a kernel's body: pointers, vector memory access, masks, loops. Creates llvm operations for
// memory and arith and scf for the rest.
#ifndef TENFERRO_CODEGEN_CPU_KERNELBUILDER_H
#define TENFERRO_CODEGEN_CPU_KERNELBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/core/KernelAbi.h"
#include "llvm/ADT/StringMap.h"

namespace tenferro::compiler {

/// The first `count` lanes of a vector; all of them where `mask` is null.
struct LaneMask {
  mlir::Value mask;  ///< vector of i1
  mlir::Value count; ///< i64
  explicit operator bool() const { return static_cast<bool>(mask); }
};

/// The module that kernels are added to, and what they share.
struct KernelModule {
  mlir::ModuleOp op;
  runtime::CpuLevel level;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> rareFunctions; ///< by what they compute (VectorBody.cpp)
};

class KernelBuilder {
public:
  /// Starts a function `symbol` of `module`; the insertion point is its entry block.
  KernelBuilder(KernelModule &module, llvm::StringRef symbol, llvm::ArrayRef<mlir::Type> arguments, mlir::Type result,
                mlir::Location loc);

  KernelModule &module() { return module_; }
  mlir::LLVM::LLVMFuncOp function() { return function_; }

  /// Aligns the stack to what is spilled, for a body that runs out of registers: a vector across the end of a page costs
  /// as much as ten operations, and callers align to 16 bytes.
  void alignStack();

  mlir::OpBuilder &ops() { return builder_; }
  mlir::Location loc() const { return loc_; }
  runtime::CpuLevel level() const { return module_.level; }
  mlir::Value argument(unsigned i) { return function_.getArgument(i); }
  unsigned vectorBits() const { return level() == runtime::CpuLevel::V4 ? 512 : 256; }

  mlir::Type i64Type() { return builder_.getI64Type(); }
  mlir::Type ptrType() { return ptr_; }
  mlir::VectorType vectorType(mlir::Type element, unsigned lanes) {
    return mlir::VectorType::get({int64_t(lanes)}, element);
  }

  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  /// `a` without its low bits: the largest multiple of `powerOfTwo` not above it.
  mlir::Value roundDown(mlir::Value a, int64_t powerOfTwo);
  mlir::Value lowBits(mlir::Value a, int64_t powerOfTwo);

  mlir::Value advance(mlir::Value pointer, mlir::Value bytes);
  /// The same value, of which analyses do not know where it comes from.
  mlir::Value opaque(mlir::Value value);
  mlir::Value element(mlir::Value pointer, mlir::Type type, mlir::Value index);
  /// Entry `i` of an array of 8-byte things.
  mlir::Value loadEntry(mlir::Value array, unsigned i, mlir::Type type);

  mlir::Value load(mlir::Type type, mlir::Value pointer);
  void store(mlir::Value value, mlir::Value pointer);
  /// Elements outside the mask are 0 and are not touched in memory.
  mlir::Value loadVector(mlir::VectorType type, mlir::Value pointer, const LaneMask &mask);
  void storeVector(mlir::Value value, mlir::Value pointer, const LaneMask &mask);

  mlir::Value splat(mlir::Value scalar, unsigned lanes);
  mlir::Value constant(mlir::Attribute value, mlir::Type type); ///< scalar attribute, scalar or vector type
  mlir::Value laneNumbers(mlir::Type element, unsigned lanes);
  LaneMask firstLanes(mlir::Value count, unsigned lanes);
  mlir::Value extractLane(mlir::Value vector, unsigned lane);
  /// Lanes `first` to `first + count` of a vector.
  mlir::Value slice(mlir::Value vector, unsigned first, unsigned count);

  /// What arith.maximumf and arith.minimumf mean, in fewer instructions than LLVM finds: NaN if either is NaN, -0 below
  /// +0.
  mlir::Value floatExtremum(mlir::Value a, mlir::Value b, bool largest);

  /// Stack memory, allocated once at the function's entry and aligned for every vector.
  mlir::Value stack(mlir::Type element, int64_t count);
  /// At least `bytes` of stack memory that everyone may overwrite.
  mlir::Value scratch(int64_t bytes);

  using LoopBody = llvm::function_ref<void(mlir::Value i, llvm::SmallVectorImpl<mlir::Value> &carried)>;
  /// for (i = from; i < to; i += step); `carried` is replaced by what the body leaves in it, at the end by the final
  /// values.
  void loop(mlir::Value from, mlir::Value to, int64_t step, llvm::SmallVectorImpl<mlir::Value> &carried, LoopBody body);
  /// Runs `body` where `condition` holds; `carried` as in `loop`.
  void when(mlir::Value condition, llvm::SmallVectorImpl<mlir::Value> &carried,
            llvm::function_ref<void(llvm::SmallVectorImpl<mlir::Value> &carried)> body);
  void branch(mlir::Value condition, llvm::SmallVectorImpl<mlir::Value> &carried,
              llvm::function_ref<void(llvm::SmallVectorImpl<mlir::Value> &carried)> then,
              llvm::function_ref<void(llvm::SmallVectorImpl<mlir::Value> &carried)> otherwise);
  mlir::Value positive(mlir::Value a); ///< a > 0

  void finish(mlir::Value result); ///< `result` null: returns nothing

private:
  KernelModule &module_;
  mlir::OpBuilder builder_;
  mlir::Location loc_;
  mlir::LLVM::LLVMFuncOp function_;
  mlir::Type ptr_;
  mlir::Value scratch_;
  int64_t scratchBytes_ = 0;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_KERNELBUILDER_H
