// Streaming stores, and the size from which they win.
#include "runtime/memory/NonTemporal.h"

#include "runtime/core/Address.h"
#include "runtime/core/FirstUse.h"
#include "runtime/core/InlineVector.h"
#include "runtime/launch/LaunchContext.h"

#include <algorithm>
#include <immintrin.h>
#include <unistd.h>

namespace tenferro::runtime {

namespace {

constexpr int64_t kLine = 64;
/// Of the widest output in a turn. Measured: 512 to 1,024 bytes keep loads and stores overlapped, 8 KiB do not.
constexpr int64_t kTurnBytes = 1024;
constexpr size_t kMostOutputs = 4;

__attribute__((target("avx"))) void stream(char *to, const char *from, int64_t bytes) noexcept {
  for (int64_t i = 0; i < bytes; i += kLine) {
    __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i *>(from + i));
    __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i *>(from + i + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + i), low);
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + i + 32), high);
  }
}

} // namespace

size_t streamingBytes() noexcept {
  static constinit FirstUse<size_t> bytes;
  return bytes.get([] {
    long last = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return last > 0 ? static_cast<size_t>(last) : size_t{32} << 20;
  });
}

bool StreamedMap::fits(void *const *data) const noexcept {
  if (outputBytes.size() > kMostOutputs)
    return false;
  for (size_t o = 0; o < outputBytes.size(); ++o) {
    if (reinterpret_cast<uintptr_t>(data[inputs + o]) % kLine)
      return false;
    for (uint32_t i = 0; i < inputs; ++i)
      if (data[i] == data[inputs + o])
        return false; // its lines are in the cache by then
  }
  return true;
}

Status StreamedMap::run(void *const *data, int64_t n) const {
  alignas(kLine) char scratch[kMostOutputs][kTurnBytes];
  const uint32_t operands = inputs + static_cast<uint32_t>(outputBytes.size());
  const int64_t turn = kTurnBytes / *std::max_element(outputBytes.begin(), outputBytes.end());
  InlineVector<void *, 8> address(operands);
  std::copy_n(data, operands, address.begin());
  for (size_t o = 0; o < outputBytes.size(); ++o)
    address[inputs + o] = scratch[o];
  Status status = kOk;
  int64_t done = 0;
  for (; done + turn <= n; done += turn) {
    status = combine(status, kernel(address.data(), inner, outer, turn, 1));
    for (uint32_t i = 0; i < inputs; ++i)
      address[i] = offset(address[i], turn * inner[i]);
    for (size_t o = 0; o < outputBytes.size(); ++o)
      stream(static_cast<char *>(data[inputs + o]) + done * outputBytes[o], scratch[o], turn * outputBytes[o]);
  }
  _mm_sfence();
  if (done < n) {
    for (size_t o = 0; o < outputBytes.size(); ++o)
      address[inputs + o] = offset(data[inputs + o], done * outputBytes[o]);
    status = combine(status, kernel(address.data(), inner, outer, n - done, 1));
  }
  return status;
}

} // namespace tenferro::runtime
