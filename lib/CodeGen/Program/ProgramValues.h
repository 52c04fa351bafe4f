// The values of a program, numbered as launches come to name them.
#ifndef TENFERRO_CODEGEN_PROGRAM_PROGRAMVALUES_H
#define TENFERRO_CODEGEN_PROGRAM_PROGRAMVALUES_H

#include "lib/Transforms/BufferPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/program/Program.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace tenferro::compiler {

/// Views of a whole source: one element or axis repeated (dimensions are set by the caller), and as many elements of
/// each dimension from the origin on.
runtime::View repeatedView(const Shape &shape);
runtime::View partView(const Shape &shape);

/// Gives the values of a planned function numbers in a program, and adds those that only the program has.
class ProgramValues {
public:
  /// All three outlive it.
  ProgramValues(mlir::func::FuncOp function, const BufferPlan &plan, runtime::Program &program);

  /// Of a value of the function. Views are numbered from their source on, without recursion.
  uint32_t of(mlir::Value value);
  /// The same for operand `i` of a step.
  uint32_t operand(const BufferPlan::Step &step, unsigned i);
  /// Of what the function returns as result `index`.
  uint32_t result(unsigned index);
  /// The contiguous copy behind a view that is a copy by plan and has a number.
  uint32_t copyBehind(mlir::Value view) const { return copies_.lookup(view); }

  uint32_t addView(const core::ValueType &type, uint32_t source, runtime::View view);
  uint32_t addCoordinate(const Shape &shape, int64_t axis);
  /// A constant 0.
  uint32_t addZero(DType dtype);

  const core::ValueType &type(uint32_t number) const { return program_.values[number].type; }

private:
  uint32_t add(const core::ValueType &type, runtime::StorageKind storage, uint32_t index = 0, int64_t offset = 0);
  void number(mlir::Value value);
  bool isKnown(mlir::Value value) const { return numbers_[plan_.numberOf(value)] != kNone; }
  const core::ValueType &typeOf(mlir::Value value);

  static constexpr uint32_t kNone = ~uint32_t{0};
  mlir::func::FuncOp function_;
  const BufferPlan &plan_;
  runtime::Program &program_;
  std::vector<uint32_t> numbers_; ///< by the plan's numbers
  llvm::DenseMap<mlir::Value, uint32_t> copies_;
  llvm::DenseMap<unsigned, uint32_t> results_;
  mlir::Type knownType_; ///< of `knownValueType_`
  core::ValueType knownValueType_;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_PROGRAM_PROGRAMVALUES_H
