// Kernels that users bring, as programs call them.
#ifndef TENFERRO_RUNTIME_CORE_CALLBACK_H
#define TENFERRO_RUNTIME_CORE_CALLBACK_H

#include "lib/Core/Expected.h"
#include "runtime/core/TensorView.h"
#include "runtime/program/Program.h"

#include <functional>
#include <memory>
#include <span>

namespace tenferro {
class ExecutionEngine;
} // namespace tenferro

namespace tenferro::runtime {

/// Who runs a program: what a kernel is lent.
struct CallbackCaller {
  ExecutionEngine *engine = nullptr;
  void *runtime = nullptr; ///< the front end's own
};

/// A kernel. Thread safety: `run` is called from any threads at a time.
class Callback {
public:
  virtual ~Callback() = default;
  /// Fills the outputs. All operands are contiguous. What it throws passes through the program unchanged.
  virtual void run(const CallbackCaller &caller, const IntList &parameters, std::span<const TensorView> inputs,
                   std::span<const TensorView> outputs) const = 0;
};

/// Finds the kernel of a name, or says why there is none.
using CallbackResolver = std::function<core::Expected<std::shared_ptr<const Callback>>(const CallbackName &)>;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_CALLBACK_H
