// Compiles kernels from the text of a scalar body and loads them, for the tests of the CPU code generator.
#ifndef TENFERRO_TEST_UNIT_CODEGEN_KERNELHARNESS_H
#define TENFERRO_TEST_UNIT_CODEGEN_KERNELHARNESS_H

#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "runtime/program/CodeLoader.h"

#include <memory>
#include <string>
#include <vector>

namespace tenferro::test {

/// A body with the types around it. The text uses %x0, %x1, ... for inputs, ends with linalg.yield, and may name
/// dimension 0 (reduced, if `reduction` is not empty) and 1.
struct KernelText {
  std::vector<std::string> inputs, outputs;
  std::string body;
  std::string reduction; ///< an attribute: "\"sum\"", "[\"sum\", \"max\"]"
};

/// The loaded kernels of one object.
class LoadedKernels {
public:
  LoadedKernels(const std::vector<uint8_t> &object, std::vector<std::string> symbols);
  template <typename Function> Function get(const std::string &symbol) const {
    return reinterpret_cast<Function>(address(symbol));
  }

private:
  void *address(const std::string &symbol) const;
  std::vector<std::string> symbols_;
  std::shared_ptr<const runtime::LoadedCode> code_;
};

class KernelHarness {
public:
  explicit KernelHarness(runtime::CpuLevel level);
  ~KernelHarness();

  compiler::CpuModule &module() { return *module_; }
  mlir::MLIRContext &context() { return *context_; }

  void addMap(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> access,
              bool interleaved = false);
  /// Adds `<symbol>.row` and `<symbol>.column`.
  void addReduce(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> rowAccess,
                 std::vector<runtime::Access> columnAccess);
  mlir::OwningOpRef<mlir::ModuleOp> parse(const KernelText &text, mlir::linalg::GenericOp &generic);
  /// Loads what was added; `more` names kernels added to `module()` directly.
  std::unique_ptr<LoadedKernels> finish(std::vector<std::string> more = {});

private:
  std::vector<std::string> symbols_;
  std::unique_ptr<mlir::MLIRContext> context_;
  std::unique_ptr<compiler::CpuModule> module_;
};

/// Levels this machine runs.
std::vector<runtime::CpuLevel> levels();

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CODEGEN_KERNELHARNESS_H
