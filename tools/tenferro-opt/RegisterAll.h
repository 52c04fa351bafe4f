// Everything tenferro-opt knows: dialects and passes, ours and the upstream ones we use.
#ifndef TENFERRO_TOOLS_TENFERRO_OPT_REGISTERALL_H
#define TENFERRO_TOOLS_TENFERRO_OPT_REGISTERALL_H

namespace mlir {
class DialectRegistry;
}

namespace tenferro::compiler {

void registerAllDialects(mlir::DialectRegistry &registry);
void registerAllPasses();

} // namespace tenferro::compiler

#endif // TENFERRO_TOOLS_TENFERRO_OPT_REGISTERALL_H
