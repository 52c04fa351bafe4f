// Where each value of a program lives while it runs.
#ifndef TENFERRO_TRANSFORMS_BUFFERPLAN_H
#define TENFERRO_TRANSFORMS_BUFFERPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/core/Arena.h"
#include "runtime/core/Program.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace tenferro::compiler {

/// The storage of one value of the function.
struct Place {
  enum class Kind {
    Argument, ///< `index`
    Result,   ///< `index`
    Arena,    ///< at `offset`
    Constant, ///< at `offset` of the constants
    View,     ///< of operand 0 of the defining operation
    Copy,     ///< of operand 0, copied to `offset` of the arena
    ViewOfResult, ///< computed in place, in result `index` under another shape
  };
  Kind kind = Kind::Arena;
  uint32_t index = 0;
  int64_t offset = 0;
};

/// Places for all values of a function of one block: launches write to the arena or straight to results, views cost
/// nothing, and arena memory is used again when its value is dead (an element-wise kernel may write over an input that
/// dies with it).
class BufferPlan {
public:
  /// The function has passed `checkPlannable`.
  explicit BufferPlan(mlir::func::FuncOp function);

  const Place &place(mlir::Value value) const { return places_.find(value)->second; }

  /// What the function returns as result `i`, and whether it is copied there at the end.
  bool isCopied(unsigned result) const { return copied_[result]; }

  /// Byte alignment of every place.
  static constexpr int64_t kAlignment = runtime::Arena::kAlignment;

  int64_t arenaBytes() const { return arenaBytes_; }
  const std::vector<uint8_t> &constants() const { return constants_; }

  /// Arguments that a reshape reads as contiguous memory.
  const std::vector<bool> &argumentContiguous() const { return contiguous_; }

  /// Writes the plan into the IR as attributes, see `PlanBuffersPass`.
  void annotate() const;

  /// Strides of a value in elements, the first dimension fastest, if all arguments are contiguous.
  IntList strides(mlir::Value value) const;

private:
  void placeResults();
  void placeOperations();
  void placeConstant(mlir::Operation *op);
  void placeLaunch(mlir::Operation *op, int64_t position);
  mlir::Value ownerOf(mlir::Value value) const;
  IntList stridesThrough(mlir::Operation *op) const;

  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Value, Place> places_;
  // Of views, noted in program order: chains of them may be long.
  llvm::DenseMap<mlir::Value, mlir::Value> owners_;
  llvm::DenseMap<mlir::Value, IntList> strides_;
  llvm::DenseMap<mlir::Value, int64_t> lastUse_; ///< of owners, by position
  std::vector<llvm::SmallVector<mlir::Value, 2>> dying_;  ///< owners by the position of their last use
  std::vector<bool> copied_, contiguous_;
  std::vector<uint8_t> constants_;
  runtime::Arena arena_;
  int64_t arenaBytes_ = 0;
};

/// Succeeds if the function can be planned: one block, tensors of the dialect alone, dense constants; else a diagnostic
/// says what is in the way.
mlir::LogicalResult checkPlannable(mlir::func::FuncOp function);

/// How a view operation (transpose, slice, reverse, ...) reads its operand.
runtime::View viewOf(mlir::Operation *op);
bool isViewOp(mlir::Operation *op);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_BUFFERPLAN_H
