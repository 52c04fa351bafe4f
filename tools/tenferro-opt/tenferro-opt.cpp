// tenferro-opt: reads IR, runs passes, prints IR. The upstream driver with a help text that fits a screen.
#include "lib/Compiler/Explain.h"
#include "tools/tenferro-opt/RegisterAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

static llvm::cl::opt<bool> explain("explain",
                                   llvm::cl::desc("print behind each operation what it stands for, as a comment"));

/// Runs the passes and prints the result with comments. The bytecode between the two keeps the locations.
static mlir::LogicalResult runAndExplain(llvm::StringRef input, llvm::StringRef output,
                                         mlir::DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &error);
  std::unique_ptr<llvm::ToolOutputFile> out = file ? mlir::openOutputFile(output, &error) : nullptr;
  if (!out) {
    llvm::errs() << error << "\n";
    return mlir::failure();
  }
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  config.emitBytecode(true);
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (mlir::failed(mlir::MlirOptMain(stream, std::move(file), registry, config)))
    return mlir::failure();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(result, &context);
  if (!module)
    return mlir::failure();
  out->os() << tenferro::compiler::explainModule(*module);
  out->keep();
  return mlir::success();
}

/// The first sentence of a description, cut to fit a line.
static std::string oneLine(llvm::StringRef text, size_t width) {
  std::string line = text.take_until([](char c) { return c == '\n'; }).str();
  if (line.size() > width)
    line = line.substr(0, width - 3) + "...";
  return line;
}

/// Our passes with their one-line summaries, the upstream ones by name, and the options used daily.
static void printHelp() {
  std::vector<std::pair<std::string, std::string>> ours;
  std::vector<std::string> upstream;
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::StringRef name = entry.first;
    const mlir::PassRegistryEntry *pass = mlir::PassInfo::lookup(name);
    if (!pass)
      pass = mlir::PassPipelineInfo::lookup(name);
    if (!pass)
      continue;
    if (name.contains("tenferro"))
      ours.emplace_back(name.str(), oneLine(pass->getPassDescription(), 88));
    else
      upstream.push_back(name.str());
  }
  llvm::sort(ours);
  llvm::sort(upstream);

  llvm::raw_ostream &os = llvm::outs();
  os << "Runs passes over MLIR, in the order of the flags, and prints the result.\n\n"
        "usage: tenferro-opt [file, default stdin] [--PASS[=\"option=value ...\"]]...\n\n"
        "passes and pipelines (lib/**/Passes.td describes each with an example):\n";
  size_t width = 0;
  for (auto &[name, text] : ours)
    width = std::max(width, name.size());
  for (auto &[name, text] : ours)
    os << "  --" << name << std::string(width - name.size() + 2, ' ') << text << "\n";
  os << "\nupstream passes:";
  size_t column = 100;
  for (const std::string &name : upstream) {
    if (column + name.size() + 3 > 100) {
      os << "\n ";
      column = 1;
    }
    os << " --" << name;
    column += name.size() + 3;
  }
  os << "\n\noptions:\n"
        "  -o FILE                    output file, default stdout\n"
        "  --pass-pipeline=TEXT       passes as text, with nesting and options\n"
        "  --explain                  print behind each operation the primal operation, the term its rule made, and "
        "the line\n"
        "  --mlir-print-debuginfo     print locations as MLIR writes them\n"
        "  --mlir-print-ir-after-all  print the IR after each pass (also -before-all, -after-change, -after=PASS)\n"
        "  --mlir-timing              time per pass\n"
        "  --mlir-pass-statistics     what each pass did\n"
        "  --split-input-file         treat the parts between // ----- lines alone\n"
        "  --verify-diagnostics       compare errors with the expected-error comments\n"
        "  --help-hidden              everything else\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tenferro::compiler::registerAllDialects(registry);
  tenferro::compiler::registerAllPasses();

  std::string header = mlir::registerCLIOptions("tenferro-opt: runs passes over MLIR\n", registry);
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef(argv[i]) == "--help" || llvm::StringRef(argv[i]) == "-h" ||
        llvm::StringRef(argv[i]) == "-help") {
      printHelp();
      return 0;
    }

  auto [input, output] = mlir::parseCLIOptions(argc, argv, header);
  if (explain)
    return mlir::asMainReturnCode(runAndExplain(input, output, registry));
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
