// Execution engines: where operations run. The caller owns an engine and lends it.
#ifndef TENFERRO_ENGINE_H
#define TENFERRO_ENGINE_H

#include "tenferro/Error.h"
#include "tenferro/Export.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenferro {

namespace detail {
struct EngineAccess;
} // namespace detail

/// The kind of an engine: part of the key of prepared derivatives, unlike the engine object.
enum class EngineKind : uint8_t { Cpu };

/// Instruction sets the CPU kernels exist for. Both give the same bits.
enum class CpuFeatures : uint8_t { V3 = 3, V4 = 4 };

struct CpuEngineOptions {
  int threads = 1;                                    ///< at least 1; 1 runs in the calling thread
  std::optional<CpuFeatures> features = std::nullopt; ///< at most what the machine has; by default the best it has
};

/// Common base of the library's engines; nobody else can derive from it. Thread safety: an engine may be used from
/// several threads at a time.
class TENFERRO_EXPORT ExecutionEngine {
public:
  virtual ~ExecutionEngine();
  virtual EngineKind kind() const noexcept = 0;
  /// Waits for submitted work; the CPU engine has none outstanding between calls.
  virtual void synchronize() = 0;

private:
  friend class CpuEngine;
  ExecutionEngine() = default;
};

/// Runs on the CPU. Errors of the constructor: InvalidArgument for threads < 1; Unsupported for an older CPU than
/// x86-64-v3 or features the machine lacks.
class TENFERRO_EXPORT CpuEngine final : public ExecutionEngine {
public:
  explicit CpuEngine(const CpuEngineOptions &options = {});
  ~CpuEngine() override;
  EngineKind kind() const noexcept override { return EngineKind::Cpu; }
  void synchronize() override {}
  int threads() const noexcept { return threads_; }
  CpuFeatures features() const noexcept { return features_; }

private:
  int threads_;
  CpuFeatures features_;
};

} // namespace tenferro

#endif // TENFERRO_ENGINE_H
