// Where each value of a program lives while it runs.
#ifndef TENFERRO_TRANSFORMS_BUFFERPLAN_H
#define TENFERRO_TRANSFORMS_BUFFERPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/memory/Arena.h"
#include "runtime/program/Program.h"
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

  const Place &place(mlir::Value value) const { return places_[numberOf(value)]; }

  /// Values have numbers: arguments first, then the results of the operations in order.
  uint32_t numberOf(mlir::Value value) const { return numbers_.find(value)->second; }
  size_t valueCount() const { return places_.size(); }

  /// An operation of the function. The numbers of its results begin with `results`.
  struct Step {
    mlir::Operation *op;
    uint32_t uses, results;
  };
  /// In order, the terminator last.
  llvm::ArrayRef<Step> steps() const { return steps_; }
  /// The number of an operand of a step, without looking it up.
  uint32_t operand(const Step &step, unsigned i) const { return uses_[step.uses + i]; }

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
  void addValue(mlir::Value value, const Place &place);
  void addView(mlir::Operation *op);
  void placeResults();
  void placeOperations();
  void addConstant(mlir::Operation *op);
  void placeLaunch(const Step &step, uint32_t position);
  IntList stridesThrough(mlir::Operation *op) const;

  mlir::func::FuncOp function_;
  // Operations are read once; the rest is numbers, as the operations of a long program are in no cache.
  llvm::DenseMap<mlir::Value, uint32_t> numbers_;
  std::vector<Step> steps_;
  std::vector<uint32_t> uses_; ///< operands of all steps
  std::vector<Place> places_;
  std::vector<int64_t> bytes_;   ///< of values in the arena
  std::vector<uint32_t> owners_; ///< the value whose memory a value reads: itself unless it is a view
  llvm::DenseMap<mlir::Value, IntList> strides_; ///< of views, noted in program order: chains of them may be long
  std::vector<uint32_t> lastUse_;                ///< of owners, by position; `kReused` once the memory has a new owner
  std::vector<bool> copied_, contiguous_;
  std::vector<uint8_t> constants_;
  runtime::Arena arena_;
  int64_t arenaBytes_ = 0;
};

/// Succeeds if the function can be planned: one block, tensors of the dialect alone, dense constants; else a diagnostic
/// says what is in the way. Adds the number of operations to `operations`, if given.
mlir::LogicalResult checkPlannable(mlir::func::FuncOp function, size_t *operations = nullptr);

/// How a view operation (transpose, slice, reverse, ...) reads its operand.
runtime::View viewOf(mlir::Operation *op);
bool isViewOp(mlir::Operation *op);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_BUFFERPLAN_H
