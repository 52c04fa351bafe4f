// Loading machine code: position-independent ELF objects into executable slabs.
#ifndef TENFERRO_RUNTIME_PROGRAM_CODELOADER_H
#define TENFERRO_RUNTIME_PROGRAM_CODELOADER_H

#include "lib/Core/Expected.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenferro::runtime {

/// The code of one object in memory. The addresses stay valid while this lives; dropping the last reference gives the
/// space to later objects. Thread safety: immutable.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;

  /// Address of function i of the list given to `loadCode`.
  void *function(size_t i) const noexcept { return functions_[i]; }
  size_t functionCount() const noexcept { return functions_.size(); }

  /// Bytes of the slab it takes.
  size_t bytes() const noexcept { return bytes_; }

protected:
  std::vector<void *> functions_;
  size_t bytes_ = 0;
};

/// Loads a relocatable ELF64 x86-64 object and finds `functions` in it.
///
/// Memory is never writable and executable at once: slabs are mapped twice, and many objects share one. Only code,
/// constants and relocations inside the object are allowed, and calls of functions that functionForCode
/// (VectorLoop.h) knows; another undefined symbol, thread-local or writable data, another
/// relocation, a missing function or a damaged object is a failure that names it, and nothing stays loaded. Thread
/// safe; after a fork the child keeps what is loaded and starts slabs of its own.
core::Expected<std::shared_ptr<const LoadedCode>> loadCode(std::span<const uint8_t> object,
                                                           std::span<const std::string> functions);

/// What the loader holds: slabs, their bytes, and the bytes in use.
struct CodeStats {
  size_t slabs = 0;
  size_t slabBytes = 0;
  size_t usedBytes = 0;
};
CodeStats codeStats();

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_CODELOADER_H
