// From a recorded graph to a function over the dialect, derivatives applied.
#ifndef TENFERRO_IMPORT_IMPORTGRAPH_H
#define TENFERRO_IMPORT_IMPORTGRAPH_H

#include "lib/Core/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace tenferro::compiler {

/// The program a transform makes of a graph. Kept values are still `tenferro.residual`, so that it differentiates again.
struct ImportedProgram {
  mlir::func::FuncOp trace;    ///< the graph as recorded; null where it became `function` and nobody reads it
  mlir::func::FuncOp function; ///< what the transform made of it; `trace` itself for Forward
  llvm::SmallVector<mlir::Value> wrt; ///< the values of `trace` the transform names
  std::vector<bool> active;    ///< which requested derivatives it returns; all true for Forward
};

/// Imports graphs into one module; calls of functions that nothing was derived from are spliced in first. Operation k of a graph has the location trace:k:0; operations of an inlined call keep
/// theirs, called from the location of the call. Programs that are called more than once are derived once.
class Importer {
public:
  /// `isRead`: somebody reads the trace and the derivative. Otherwise values get no names, the trace becomes the derivative, and
  /// what is dead in it stays for `lowerResiduals`.
  explicit Importer(mlir::ModuleOp module, bool isRead = true) : module_(module), isRead_(isRead) {}

  /// The graph, which `checkGraph` has passed, as function @`name`, its calls inlined; then the transform. Fails with a
  /// diagnostic where an operation has no derivative rule.
  mlir::FailureOr<ImportedProgram> import(const core::Graph &graph, const core::Transform &transform,
                                          llvm::StringRef name);

  /// Whether a function with rules of its own was called anywhere.
  bool hasCustomCalls() const { return nextCustom_ > 0; }

private:
  /// The same for a graph without forward calls. Operation k has the location of number `origins[k]`, its own if there are none.
  mlir::FailureOr<ImportedProgram> importFlat(const core::Graph &graph, llvm::ArrayRef<uint32_t> origins,
                                              const core::Transform &transform, llvm::StringRef name);
  mlir::FailureOr<mlir::func::FuncOp> importTrace(const core::Graph &graph, llvm::ArrayRef<uint32_t> origins, llvm::StringRef name,
                                                  llvm::ArrayRef<uint32_t> wrt,
                                                  llvm::SmallVectorImpl<mlir::Value> &wrtValues);
  mlir::LogicalResult importCall(mlir::OpBuilder &builder, mlir::Location loc, const core::GraphOp &op,
                                 std::vector<mlir::Value> &values);

  /// A call of a function with rules of its own, as one operation; its bodies become private functions at its first call.
  mlir::LogicalResult importCustomCall(mlir::OpBuilder &builder, mlir::Location loc, const core::GraphOp &op,
                                       std::vector<mlir::Value> &values);
  mlir::LogicalResult importBody(const core::CustomFunction &function, core::CustomRole role, llvm::StringRef prefix);

  mlir::ModuleOp module_;
  bool isRead_;
  int depth_ = 0; ///< of imports: the outermost is the program, those inside are copied from
  llvm::StringMap<ImportedProgram> callees_; ///< by structure key
  llvm::DenseMap<const core::DerivedFunction *, const ImportedProgram *> byAddress_;
  int nextCallee_ = 0;
  /// The call of each function with rules as attributes of the operation.
  llvm::DenseMap<const core::CustomFunction *, mlir::DictionaryAttr> customs_;
  int nextCustom_ = 0;
};

} // namespace tenferro::compiler

#endif // TENFERRO_IMPORT_IMPORTGRAPH_H
