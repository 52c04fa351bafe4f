// Says in a SPIR-V module that its arithmetic is to be done as written.
#include "lib/CodeGen/Spirv/SpirvPasses.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

#include <set>

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_SPIRVEXACTARITHMETICPASS
#include "lib/CodeGen/Spirv/Passes.h.inc"

/// The widths of the floats a function computes with.
static std::set<int32_t> floatWidths(spirv::FuncOp function) {
  std::set<int32_t> widths;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (type.isF32() || type.isF64())
        widths.insert(static_cast<int32_t>(type.getIntOrFloatBitWidth()));
  });
  return widths;
}

namespace {
struct SpirvExactArithmeticPass : impl::SpirvExactArithmeticPassBase<SpirvExactArithmeticPass> {
  void runOnOperation() override {
    spirv::ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    module.walk([&](Operation *op) {
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FNegateOp>(op))
        op->setAttr("no_contraction", builder.getUnitAttr());
      if (auto variable = dyn_cast<spirv::GlobalVariableOp>(op);
          variable && variable.storageClass() == spirv::StorageClass::StorageBuffer)
        op->setAttr("aliased", builder.getUnitAttr());
    });
    bool any = false;
    for (auto entry : llvm::to_vector(module.getOps<spirv::EntryPointOp>())) {
      auto function = module.lookupSymbol<spirv::FuncOp>(entry.getFn());
      builder.setInsertionPointAfter(entry);
      for (int32_t width : floatWidths(function))
        for (auto mode : {spirv::ExecutionMode::DenormPreserve, spirv::ExecutionMode::SignedZeroInfNanPreserve,
                          spirv::ExecutionMode::RoundingModeRTE}) {
          spirv::ExecutionModeOp::create(builder, entry.getLoc(), function, mode, {width});
          any = true;
        }
    }
    auto triple = module.getVceTriple();
    if (!any || !triple)
      return;
    SmallVector<spirv::Capability> capabilities(triple->getCapabilities());
    capabilities.append({spirv::Capability::DenormPreserve, spirv::Capability::SignedZeroInfNanPreserve,
                         spirv::Capability::RoundingModeRTE});
    SmallVector<spirv::Extension> extensions(triple->getExtensions());
    extensions.push_back(spirv::Extension::SPV_KHR_float_controls);
    module.setVceTripleAttr(spirv::VerCapExtAttr::get(triple->getVersion(), capabilities, extensions, &getContext()));
  }
};
} // namespace

} // namespace tenferro::compiler
