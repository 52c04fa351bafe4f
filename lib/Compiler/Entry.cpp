// The one exported symbol of libtenferro-compiler.
#include "lib/Compiler/CompileInterface.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage" // a C name, called through `CompileEntry` from C++ alone

extern "C" __attribute__((visibility("default"))) tenferro::core::Expected<tenferro::runtime::CompiledArtifact>
tenferroCompile(const tenferro::compiler::CompileRequest &request) {
  return tenferro::compiler::compile(request);
}

#pragma clang diagnostic pop
