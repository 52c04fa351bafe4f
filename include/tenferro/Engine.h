// Execution engines: where operations run. The caller owns an engine and lends it.
#ifndef TENFERRO_ENGINE_H
#define TENFERRO_ENGINE_H

#include "tenferro/Error.h"
#include "tenferro/Export.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tenferro {

namespace detail {
struct EngineAccess;
} // namespace detail
namespace runtime {
class CoreSet;
} // namespace runtime

/// The kind of an engine: part of the key of prepared derivatives, unlike the engine object.
enum class EngineKind : uint8_t { Cpu };

/// Instruction sets the CPU kernels exist for. Both give the same bits.
enum class CpuFeatures : uint8_t { V3 = 3, V4 = 4 };

struct CpuEngineOptions {
  int threads = 1; ///< at least 1; 1 runs in the calling thread
  std::optional<CpuFeatures> features = std::nullopt; ///< at most what the machine has; by default the best it has
  /// Cores that worker threads may run on while they work for this engine, by the operating system's numbers; empty: all this
  /// process may use. The calling thread takes part in the work and is never moved: pin it yourself. The process has one
  /// set of workers; engines with different cores that take turns move them each time (a few microseconds).
  std::vector<int> cores = {};
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

/// Runs on the CPU. Errors of the constructor: InvalidArgument for threads < 1, and for cores that are named twice or that the
/// calling thread may not use; Unsupported for an older CPU than
/// x86-64-v3 or features the machine lacks.
class TENFERRO_EXPORT CpuEngine final : public ExecutionEngine {
public:
  explicit CpuEngine(const CpuEngineOptions &options = {});
  ~CpuEngine() override;
  EngineKind kind() const noexcept override { return EngineKind::Cpu; }
  void synchronize() override {}
  int threads() const noexcept { return threads_; }
  CpuFeatures features() const noexcept { return features_; }
  const std::vector<int> &cores() const noexcept { return cores_; }
  /// How many threads this process can run at a time: the cores it may use.
  static int hardwareThreads() noexcept;

private:
  friend struct detail::EngineAccess;
  int threads_;
  CpuFeatures features_;
  std::vector<int> cores_;
  std::shared_ptr<const runtime::CoreSet> placement_; ///< null: anywhere
};

} // namespace tenferro

#endif // TENFERRO_ENGINE_H
