// The exported symbols of libtenferro-compiler: its entry, and which interface it was built with.
#include "lib/Compiler/CompileInterface.h"
#include "lib/Compiler/InterfaceId.h"

extern "C" __attribute__((visibility("default"))) const char *tenferroCompilerInterface() {
  tenferro::compiler::leaveForksToHost(); // no fork begins while a call is in flight
  return tenferro::compiler::kInterfaceId;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage" // a C name, called through `CompileEntry` from C++ alone

extern "C" __attribute__((visibility("default"))) tenferro::core::Expected<tenferro::runtime::CompiledArtifact>
tenferroCompile(const tenferro::compiler::CompileRequest &request) {
  return tenferro::compiler::compile(request);
}

extern "C" __attribute__((visibility("default"))) tenferro::core::Expected<std::string>
tenferroExplain(const tenferro::compiler::ExplainRequest &request) {
  return tenferro::compiler::explain(request);
}

#pragma clang diagnostic pop
