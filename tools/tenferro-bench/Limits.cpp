// What the machine can do: copying and reading warm bytes, fused multiply-adds. Each on as many threads as the benches run
// on, which are not those of the library's pool.
#include "tools/tenferro-bench/Benches.h"

#include <atomic>
#include <cstring>
#include <immintrin.h>
#include <thread>

namespace tenferro::bench {

namespace {

/// Threads that do their shares of a task at once and wait for the next one without sleeping.
class Crew {
public:
  explicit Crew(int threads) : threads_(threads) {
    for (int t = 1; t < threads; ++t)
      others_.emplace_back([this, t] { serve(t); });
  }
  ~Crew() {
    share_ = nullptr;
    round_.fetch_add(1);
    for (std::thread &other : others_)
      other.join();
  }

  /// Calls `share(t)` for each thread t, 0 being the calling one; returns when all are done.
  void run(const std::function<void(int)> &share) {
    share_ = &share;
    done_.store(0, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    share(0);
    while (done_.load(std::memory_order_acquire) + 1 < threads_)
      _mm_pause();
  }

private:
  void serve(int t) {
    for (int seen = 0;;) {
      int round = round_.load(std::memory_order_acquire);
      if (round == seen) {
        _mm_pause();
        continue;
      }
      seen = round;
      if (!share_)
        return;
      (*share_)(t);
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  const int threads_;
  const std::function<void(int)> *share_ = nullptr; ///< written before a round begins
  std::atomic<int> round_{0}, done_{0};
  std::vector<std::thread> others_;
};

/// Warm memory that starts at a cache line, as the library's does.
class WarmBytes {
public:
  explicit WarmBytes(size_t bytes) : memory_(bytes + 64, 1) {}
  char *data() { return memory_.data() + (-reinterpret_cast<uintptr_t>(memory_.data()) & 63); }

private:
  std::vector<char> memory_;
};

/// Begin of share t of `bytes`, at a cache line.
size_t shareOf(size_t bytes, int t, int threads) {
  return t == threads ? bytes : bytes / static_cast<size_t>(threads) * static_cast<size_t>(t) & ~size_t{63};
}

} // namespace

using Wide = double __attribute__((ext_vector_type(8)));

// Twelve independent chains hide the latency of the unit; the result is returned so that nothing is dropped.
__attribute__((target("avx512f,fma"))) static double fmaChains512(int rounds) {
  Wide acc[12];
  for (int i = 0; i < 12; ++i)
    acc[i] = Wide{} + (0.5 + i);
  const Wide a = Wide{} + 0.999999, b = Wide{} + 1e-6;
  for (int r = 0; r < rounds; ++r)
    for (Wide &x : acc)
      x = __builtin_elementwise_fma(x, a, b);
  double total = 0;
  for (Wide &x : acc)
    for (int lane = 0; lane < 8; ++lane)
      total += x[lane];
  return total;
}
__attribute__((target("avx2,fma"))) static double fmaChains256(int rounds) {
  using Half = double __attribute__((ext_vector_type(4)));
  Half acc[12];
  for (int i = 0; i < 12; ++i)
    acc[i] = Half{} + (0.5 + i);
  const Half a = Half{} + 0.999999, b = Half{} + 1e-6;
  for (int r = 0; r < rounds; ++r)
    for (Half &x : acc)
      x = __builtin_elementwise_fma(x, a, b);
  double total = 0;
  for (Half &x : acc)
    for (int lane = 0; lane < 4; ++lane)
      total += x[lane];
  return total;
}

// Eight vectors at a time keep the loads apart from the additions.
template <typename Vector> [[gnu::always_inline]] static inline uint64_t bitsOf(const char *from, size_t bytes) {
  Vector bits[8] = {};
  for (size_t at = 0; at + sizeof(bits) <= bytes; at += sizeof(bits))
    for (size_t v = 0; v < 8; ++v) {
      Vector loaded;
      std::memcpy(&loaded, from + at + v * sizeof(Vector), sizeof(Vector));
      bits[v] |= loaded;
    }
  for (size_t v = 1; v < 8; ++v)
    bits[0] |= bits[v];
  return static_cast<uint64_t>(bits[0][0]);
}
__attribute__((target("avx512f"))) static uint64_t read512(const char *from, size_t bytes) {
  return bitsOf<uint64_t __attribute__((ext_vector_type(8)))>(from, bytes);
}
__attribute__((target("avx2"))) static uint64_t read256(const char *from, size_t bytes) {
  return bitsOf<uint64_t __attribute__((ext_vector_type(4)))>(from, bytes);
}

void machineLimits(Reporter &reporter) {
  const bool wide = __builtin_cpu_supports("avx512f");
  const int threads = reporter.options().threads;
  Crew crew(threads);
  // Half of what exp and add of 2^12, 2^20 and 2^24 doubles move, and a step between.
  for (size_t bytes : {size_t{32} << 10, size_t{48} << 10, size_t{1} << 20, size_t{8} << 20, size_t{12} << 20,
                       size_t{128} << 20, size_t{192} << 20}) {
    std::string name = std::to_string(bytes);
    if (!reporter.wanted("limit.copy", name))
      continue;
    WarmBytes from(bytes), to(bytes);
    volatile char sink;
    const std::function<void(int)> share = [&](int t) {
      size_t begin = shareOf(bytes, t, threads);
      std::memcpy(to.data() + begin, from.data() + begin, shareOf(bytes, t + 1, threads) - begin);
    };
    reporter.measure("limit.copy", name, [&] {
      crew.run(share);
      sink = to.data()[bytes / 2];
    });
    (void)sink;
  }
  for (size_t bytes : {size_t{8} << 20, size_t{8000000}}) {
    std::string name = std::to_string(bytes);
    if (!reporter.wanted("limit.read", name))
      continue;
    WarmBytes from(bytes);
    volatile uint64_t sink;
    const std::function<void(int)> share = [&](int t) {
      size_t begin = shareOf(bytes, t, threads), end = shareOf(bytes, t + 1, threads);
      uint64_t bits = wide ? read512(from.data() + begin, end - begin) : read256(from.data() + begin, end - begin);
      if (t == 0)
        sink = bits;
    };
    reporter.measure("limit.read", name, [&] { crew.run(share); });
    (void)sink;
  }
  if (reporter.wanted("limit.fma", "f64")) {
    constexpr int kRounds = 100000;
    const double flops = 2.0 * 12 * (wide ? 8 : 4) * kRounds * threads;
    std::vector<double> rates;
    volatile double sink = 0;
    const std::function<void(int)> share = [&](int t) {
      double result = wide ? fmaChains512(kRounds) : fmaChains256(kRounds);
      if (t == 0)
        sink = result;
    };
    for (int sample = 0; sample < 40; ++sample) {
      double start = now();
      crew.run(share);
      rates.push_back(flops / (now() - start));
    }
    (void)sink;
    reporter.report("limit.fma", "f64", std::move(rates), "Gflop/s");
  }
}

} // namespace tenferro::bench
