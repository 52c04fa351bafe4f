// tenferro-masks SAMPLES.mlir: prints TENFERRO_MASK(Kind, active, operands, result) for every operation a trace can
// hold and every set of active operands: bit i of `operands` says that the derivative needs the value of operand i,
// `result` that it needs the result. Each function of the file is a sample of one operation; several samples of one are
// merged.
#include "dialects/tenferro/TenferroDialect.h"
#include "lib/AutoDiff/ResidualMask.h"
#include "lib/Core/OpSchema.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cctype>
#include <map>
#include <string>
#include <utility>

using namespace tenferro;

static constexpr const char *kUsage = R"(usage: tenferro-masks SAMPLES.mlir [OUTPUT]

Finds out which values the derivative of each operation reads, so that a recording keeps those alone: it differentiates a sample
of every operation for every set of active operands. A build of tenferro runs it once; a program never needs it.

  SAMPLES.mlir   functions that begin with the operation they are a sample of; "-" reads them from stdin. Every operation of a
                 recording needs one, and several of one are merged
  OUTPUT         the file to write; stdout without

Writes a line for each operation and set, bits counting operands from 0:
  TENFERRO_MASK(Kind, active operands, operands whose values are read, whether the result is)
Exit status: 0, or 1 if the samples or a file are wrong, or 2 for a wrong call.

  tenferro-masks tools/tenferro-masks/samples.mlir masks.inc
)";

/// The name of an OpKind: "dot_general" is DotGeneral.
static std::string kindName(llvm::StringRef mnemonic) {
  std::string name;
  bool upper = true;
  for (char c : mnemonic) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = false;
  }
  return name;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::StringRef first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") {
    llvm::outs() << kUsage;
    return 0;
  }
  if ((argc != 2 && argc != 3) || (first.starts_with("-") && first != "-")) {
    llvm::errs() << "tenferro-masks: expects a file of samples and at most one output\n" << kUsage;
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(first);
  if (!file) {
    llvm::errs() << "tenferro-masks: cannot read '" << first << "': " << file.getError().message() << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  context.loadDialect<mlir::func::FuncDialect, ir::TenferroDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 1;

  std::map<std::pair<int, uint32_t>, compiler::ResidualMask> table;
  llvm::SmallVector<mlir::func::FuncOp> samples(module->getOps<mlir::func::FuncOp>());
  for (mlir::func::FuncOp sample : samples) {
    mlir::Operation *op = sample.isExternal() ? nullptr : &sample.getBody().front().front();
    const core::OpSchema *schema = op ? core::findSchema(std::string_view(op->getName().stripDialect())) : nullptr;
    if (!schema || op->getNumOperands() >= 32) {
      sample.emitError("a sample expects an operation that a trace can hold");
      return 1;
    }
    for (uint32_t active = 1; active < 1u << op->getNumOperands(); ++active) {
      mlir::FailureOr<compiler::ResidualMask> mask = compiler::deriveResidualMask(sample, active);
      if (mlir::failed(mask))
        return 1;
      table[{static_cast<int>(schema->kind), active}] |= *mask;
    }
  }

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// Made by tenferro-masks. TENFERRO_MASK(kind, active operands, operands kept, result kept)\n";
  for (int kind = 0; kind < core::kOpKindCount; ++kind) {
    const core::OpSchema &schema = core::schema(static_cast<core::OpKind>(kind));
    llvm::StringRef mnemonic(schema.mnemonic.data(), schema.mnemonic.size());
    if (schema.operands == 0)
      continue;
    if (!table.count({kind, 1})) {
      llvm::errs() << argv[1] << ": error: every operation of a trace expects a sample, but '" << mnemonic
                   << "' has none\n";
      return 1;
    }
    for (auto it = table.lower_bound({kind, 0}); it != table.end() && it->first.first == kind; ++it)
      os << "TENFERRO_MASK(" << kindName(mnemonic) << ", " << it->first.second << ", " << it->second.operands << ", "
         << (it->second.result ? "true" : "false") << ")\n";
  }
  if (argc == 2) {
    llvm::outs() << text;
    return 0;
  }
  std::error_code error;
  llvm::ToolOutputFile output(argv[2], error, llvm::sys::fs::OF_Text);
  if (error) {
    llvm::errs() << argv[2] << ": error: " << error.message() << "\n";
    return 1;
  }
  output.os() << text;
  output.keep();
  return 0;
}
