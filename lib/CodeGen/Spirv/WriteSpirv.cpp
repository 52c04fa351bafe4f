// SPIR-V modules to files.
#include "lib/CodeGen/Gpu/OutputFile.h"
#include "lib/CodeGen/Spirv/SpirvPasses.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_WRITESPIRVPASS
#include "lib/CodeGen/Spirv/Passes.h.inc"

namespace {
struct WriteSpirvPass : impl::WriteSpirvPassBase<WriteSpirvPass> {
  using WriteSpirvPassBase::WriteSpirvPassBase;

  LogicalResult write(spirv::ModuleOp module) {
    SmallVector<uint32_t> words;
    if (failed(spirv::serialize(module, words)))
      return module.emitError("does not serialize");
    StringRef name = module.getName().value_or("kernels");
    name.consume_front("__spv__");
    return writeOutput(module, output, name + ".spv",
                       {reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t)});
  }

  void runOnOperation() override {
    for (auto module : getOperation().getOps<spirv::ModuleOp>())
      if (failed(write(module)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tenferro::compiler
