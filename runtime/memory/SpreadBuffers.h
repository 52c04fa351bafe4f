// Which buffers parallel regions have left spread over the caches of several cores: work on them goes where they lie.
#ifndef TENFERRO_RUNTIME_MEMORY_SPREADBUFFERS_H
#define TENFERRO_RUNTIME_MEMORY_SPREADBUFFERS_H

#include <cstdint>

namespace tenferro::runtime {

/// What the calling thread has last seen of buffers, by the addresses they begin at: a small table in which one pushes
/// out another. Only times depend on what it says, never results.
class SpreadBuffers {
public:
  /// Whether several threads have written the buffer.
  static bool have(const void *data) noexcept { return data && at(data) == data; }

  /// For who writes one: whether on several threads.
  static void note(const void *data, bool isSpread) noexcept {
    const void *&entry = at(data);
    if (isSpread)
      entry = data;
    else if (entry == data)
      entry = nullptr;
  }

private:
  static constexpr unsigned kBits = 5;
  static const void *&at(const void *data) noexcept {
    static constinit thread_local const void *entries[1 << kBits] __attribute__((tls_model("initial-exec"))) = {};
    return entries[reinterpret_cast<uintptr_t>(data) * 0x9E3779B97F4A7C15u >> (64 - kBits)];
  }
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_SPREADBUFFERS_H
