// The forward half of every derivative: a copy of a function in which each operation is followed by its tangent.
#ifndef TENFERRO_AUTODIFF_TANGENTS_H
#define TENFERRO_AUTODIFF_TANGENTS_H

#include "lib/AutoDiff/Derive.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tenferro::compiler {

class ProvenanceBuilder;

/// A function under construction: a new one beside `source`, with copies of its arguments.
struct Scratch {
  mlir::func::FuncOp function;
  mlir::Block *block = nullptr;
  mlir::IRMapping mapping; ///< values of the source to those of the copy
  bool consume = false;    ///< the operations of the source move instead of being copied

  /// What stands for a value of the source.
  mlir::Value copyOf(mlir::Value value) const { return mapping.lookupOrDefault(value); }
};

/// Opens a function `name` right after `source`.
Scratch openScratch(mlir::func::FuncOp source, const std::string &name);

/// Gives the function its return and its type; arguments keep the attributes of the source's first ones. Erases what
/// nobody uses, and a source that was consumed.
void closeScratch(Scratch &scratch, mlir::func::FuncOp source, llvm::ArrayRef<mlir::Value> results,
                  mlir::Location returnLocation);

/// Closes a function that returns derivatives, null ones left out: after the results of the source, if they are kept.
Derived closeDerivative(Scratch &scratch, mlir::func::FuncOp source, bool keepPrimal,
                        llvm::ArrayRef<mlir::Value> derivatives, mlir::Location returnLocation);

/// Erases a function that cannot be finished, and a source that was being consumed.
void abandonScratch(Scratch &scratch, mlir::func::FuncOp source);

/// Writes on a derivative which of its entries exist, as `tenferro.active`. Returns how many do.
int64_t recordActive(mlir::func::FuncOp derivative, llvm::ArrayRef<bool> active);

/// Copies or moves the body of `source` into the scratch block and emits after each operation the tangents that `seeds` (values
/// of the source to their tangents) cause. A seed of an operation's result adds to what the rule gives. Fills in one
/// tangent per result of the function, null where it is structurally zero.
mlir::LogicalResult emitTangents(mlir::func::FuncOp source, Scratch &scratch, ProvenanceBuilder &rules,
                                 const llvm::DenseMap<mlir::Value, mlir::Value> &seeds,
                                 llvm::SmallVectorImpl<mlir::Value> &resultTangents);

/// Puts forward forms in place of operations that wait for a transposition which will not come. Erases what neither the
/// derivatives nor the results of `source` need first, so that only rules that matter are asked for.
mlir::LogicalResult expandDeferred(mlir::func::FuncOp source, Scratch &scratch, ProvenanceBuilder &rules,
                                   llvm::SmallVectorImpl<mlir::Value> &resultTangents);

/// Erases operations of the scratch block that nobody uses, `kept` and the results of `source` apart.
void eraseUnused(mlir::func::FuncOp source, Scratch &scratch, llvm::ArrayRef<mlir::Value> kept);

/// The part of a block that depends on some of its values.
struct LinearPart {
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> operations; ///< in program order
};

/// What of `block` depends on `roots`.
LinearPart findDependents(mlir::Block &block, llvm::ArrayRef<mlir::Value> roots);

/// The backward half: emits the cotangents of a linear part. `cotangents` maps linear values to theirs, entries absent
/// where they are structurally zero; results go in, and what the roots get comes out.
mlir::LogicalResult emitCotangents(const LinearPart &part, ProvenanceBuilder &rules,
                                   llvm::DenseMap<mlir::Value, mlir::Value> &cotangents);

/// Erases the operations of a linear part after their cotangents have taken their place; a rule that holds on to one of
/// them is reported.
mlir::LogicalResult eraseLinearPart(const LinearPart &part);

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_TANGENTS_H
