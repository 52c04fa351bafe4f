// tenferro-lsp-server: completion, hover, go-to-definition and errors for .mlir files in an editor. The upstream server
// with our dialect.
#include "tools/tenferro-opt/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tenferro::compiler::registerAllDialects(registry);
  llvm::cl::HideUnrelatedOptions(llvm::ArrayRef<const llvm::cl::OptionCategory *>()); // those of LLVM's own libraries
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
