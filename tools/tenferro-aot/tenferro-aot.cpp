// Compiles every operation on every dtype, for both CPU levels, through the just-in-time compiler's own generator, and
// writes the objects and the table that the runtime links.
#include "dialects/tenferro/TenferroDialect.h"
#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "tools/tenferro-aot/TableWriter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <ctime>

using namespace mlir;
using namespace tenferro;
using runtime::Access;

static constexpr const char *kUsage = R"(usage: tenferro-aot FOLDER

Compiles the kernels that libtenferro runs when nothing has been compiled yet: every operation on every dtype it has, for
both CPU levels. A build of tenferro runs it once; a program never needs it.

  FOLDER   where the results go; it has to exist. Written there:
             tier0_v3.o, tier0_v4.o   machine code for x86-64-v3 and x86-64-v4, to link
             Tier0Table.cpp           the table of the kernels by name, to compile and link beside them

Prints the number of kernels, the seconds and the bytes of each level. Exit status: 0, or 1 if a kernel or a file failed, or 2
for a wrong call.

  mkdir kernels && tenferro-aot kernels
)";

/// A kernel's symbol: its name in C's letters.
static std::string symbolFor(runtime::CpuLevel level, StringRef kernel, StringRef variant) {
  std::string symbol = ("tenferro_v" + Twine(static_cast<int>(level)) + "_" + kernel + "_" + variant).str();
  std::replace(symbol.begin(), symbol.end(), '.', '_');
  return symbol;
}

static LogicalResult addMap(compiler::CpuModule &module, linalg::GenericOp generic, runtime::CpuLevel level,
                            aot::TableEntry &entry) {
  const aot::KernelSpec &spec = *entry.spec;
  unsigned all = (1u << spec.inputs.size()) - 1;
  for (unsigned mask = 0; mask <= all; ++mask) {
    if (mask == all && all != 0 && !spec.coordinate)
      break; // scalars only: the caller has a single element
    SmallVector<Access> access;
    for (unsigned i = 0; i < spec.inputs.size(); ++i)
      access.push_back(mask >> i & 1 ? Access::Scalar : Access::Unit);
    if (spec.coordinate)
      access.push_back(Access::Index);
    access.push_back(Access::Unit);
    entry.symbols[mask] = symbolFor(level, spec.name, std::to_string(mask));
    if (failed(module.addMap(entry.symbols[mask], generic, access, /*interleaved=*/true)))
      return failure();
  }
  return success();
}

static LogicalResult addKernel(compiler::CpuModule &module, ModuleOp scratch, runtime::CpuLevel level,
                               aot::TableEntry &entry) {
  const aot::KernelSpec &spec = *entry.spec;
  if (spec.kind == runtime::Tier0Class::Matmul) {
    std::string prefix = symbolFor(level, spec.name, "");
    FailureOr<compiler::MatmulTile> tile = module.addMatmul(prefix, aot::memoryType(scratch.getContext(), spec.output));
    if (failed(tile))
      return failure();
    entry.columns = tile->columns;
    entry.rows = tile->rows;
    for (int c = 1; c <= tile->columns; ++c)
      entry.symbols[c - 1] = prefix + std::to_string(c);
    return success();
  }
  linalg::GenericOp generic = aot::buildGeneric(scratch, spec);
  FailureOr<unsigned> weight = compiler::weightOf(generic);
  if (failed(weight))
    return failure();
  entry.weight = *weight;
  if (spec.kind == runtime::Tier0Class::Map)
    return addMap(module, generic, level, entry);
  entry.symbols[0] = symbolFor(level, spec.name, "row");
  entry.symbols[1] = symbolFor(level, spec.name, "column");
  SmallVector<Access> access(spec.inputCount() + 1, Access::Unit);
  return module.addReduce(entry.symbols[0], entry.symbols[1], generic, access, access);
}

static LogicalResult writeFile(StringRef folder, StringRef name, StringRef content) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    out << content;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (!error)
    return success();
  llvm::errs() << "tenferro-aot: cannot write " << path << ": " << error.message() << "\n";
  return failure();
}

int main(int argc, char **argv) {
  StringRef folder = argc == 2 ? argv[1] : "";
  if (folder == "--help" || folder == "-h") {
    llvm::outs() << kUsage;
    return 0;
  }
  if (folder.empty() || folder.starts_with("-")) {
    llvm::errs() << "tenferro-aot: expects a folder" << (folder.empty() ? "" : ", but got '" + folder.str() + "'")
                 << "\n"
                 << kUsage;
    return 2;
  }
  DialectRegistry registry;
  compiler::registerCpuCodeGenDialects(registry);
  registry.insert<memref::MemRefDialect, ir::TenferroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<aot::KernelSpec> specs = aot::listKernels(*scratch);
  if (specs.empty())
    return 1;

  std::vector<aot::TableEntry> tables[2];
  for (runtime::CpuLevel level : {runtime::CpuLevel::V3, runtime::CpuLevel::V4}) {
    std::clock_t start = std::clock();
    std::vector<aot::TableEntry> &table = tables[level == runtime::CpuLevel::V4];
    compiler::CpuModule module(&context, level);
    for (const aot::KernelSpec &spec : specs) {
      table.push_back({&spec, {}, 0, 0, 0});
      if (failed(addKernel(module, *scratch, level, table.back()))) {
        llvm::errs() << "tenferro-aot: kernel " << spec.name << " failed\n";
        return 1;
      }
    }
    FailureOr<std::vector<uint8_t>> object = module.emitObject();
    std::string name = "tier0_v" + std::to_string(static_cast<int>(level)) + ".o";
    if (failed(object) ||
        failed(writeFile(folder, name, StringRef(reinterpret_cast<const char *>(object->data()), object->size()))))
      return 1;
    llvm::outs() << name << ": " << table.size() << " kernels, " << object->size() << " bytes, "
                 << llvm::format("%.1f", double(std::clock() - start) / CLOCKS_PER_SEC) << " CPU seconds\n";
  }
  return failed(writeFile(folder, "Tier0Table.cpp", aot::writeTable(tables[0], tables[1])));
}
