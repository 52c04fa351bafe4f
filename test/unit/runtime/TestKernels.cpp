// The stand-in kernels and their table.
#include "test/unit/runtime/TestKernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tenferro::runtime::test {

namespace {

std::atomic<int> violationCount{0};

void require(bool ok) {
  if (!ok)
    violationCount.fetch_add(1, std::memory_order_relaxed);
}

template <typename T> T load(const void *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T> void store(void *at, T value) { std::memcpy(at, &value, sizeof(T)); }

template <typename T> T wrapAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <typename T> T wrapMul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

template <typename T> struct Add {
  static T apply(T a, T b, Status &) { return wrapAdd(a, b); }
};
template <typename T> struct Sub {
  static T apply(T a, T b, Status &) { return wrapAdd(a, wrapMul(b, T(-1))); }
};
template <typename T> struct Mul {
  static T apply(T a, T b, Status &) { return wrapMul(a, b); }
};
template <typename T> struct Div {
  static T apply(T a, T b, Status &status) {
    if (b == 0) {
      status = combine(status, makeStatus(0, KernelError::DivisionByZero));
      return 0;
    }
    return a / b;
  }
};

const char *at(const void *base, int64_t bytes) { return static_cast<const char *>(base) + bytes; }

/// Mask: which inputs are scalars. Index inputs are numbers.
template <typename T, template <typename> class Op, int Mask>
Status binary(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m) {
  for (int i = 0; i < 2; ++i)
    require(inner[i] == (Mask >> i & 1 ? 0 : static_cast<int64_t>(sizeof(T))));
  require(inner[2] == sizeof(T));
  Status status = kOk;
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < n; ++i)
      store<T>(const_cast<char *>(at(args[2], i * inner[2] + j * outer[2])),
               Op<T>::apply(load<T>(at(args[0], i * inner[0] + j * outer[0])),
                            load<T>(at(args[1], i * inner[1] + j * outer[1])), status));
  return status;
}

template <typename T>
Status negate(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m) {
  require(inner[0] == sizeof(T) && inner[1] == sizeof(T));
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < n; ++i)
      store<T>(const_cast<char *>(at(args[1], i * inner[1] + j * outer[1])),
               wrapMul(load<T>(at(args[0], i * inner[0] + j * outer[0])), T(-1)));
  return kOk;
}

template <int Mask> Status select(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m) {
  const int64_t units[3] = {1, 8, 8};
  for (int i = 0; i < 3; ++i)
    require(inner[i] == (Mask >> i & 1 ? 0 : units[i]));
  require(inner[3] == 8);
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < n; ++i) {
      int pick = load<uint8_t>(at(args[0], i * inner[0] + j * outer[0])) ? 1 : 2;
      store(const_cast<char *>(at(args[3], i * inner[3] + j * outer[3])),
            load<double>(at(args[pick], i * inner[pick] + j * outer[pick])));
    }
  return kOk;
}

Status iota(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m) {
  require(inner[1] == 8);
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < n; ++i)
      store(const_cast<char *>(at(args[1], i * inner[1] + j * outer[1])),
            static_cast<double>(reinterpret_cast<intptr_t>(args[0]) + i * inner[0] + j * outer[0]));
  return kOk;
}

Status oneHot(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m) {
  require(inner[0] == 8 && inner[2] == 8);
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < n; ++i)
      store(const_cast<char *>(at(args[2], i * inner[2] + j * outer[2])),
            load<int64_t>(at(args[0], i * inner[0] + j * outer[0])) ==
                    reinterpret_cast<intptr_t>(args[1]) + i * inner[1] + j * outer[1]
                ? 1.0
                : 0.0);
  return kOk;
}

template <typename T> struct Sum {
  static constexpr T start = T(-0.0), identity = T(0);
  static T apply(T a, T b) { return wrapAdd(a, b); }
};
template <typename T> struct Max {
  static constexpr T start =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  static constexpr T identity = start;
  static T apply(T a, T b) { return a != a || a > b ? a : b; }
};

/// Inputs > 1: the products are reduced. Column: strides along `kept` are the compiled ones.
template <typename T, template <typename> class Op, int Inputs, bool Column>
Status reduce(void *const *args, const int64_t *reduced, const int64_t *kept, int64_t n, int64_t m) {
  require(n <= kReductionBlock);
  for (int i = 0; i < Inputs && n > 1 && !Column; ++i)
    require(reduced[i] == sizeof(T));
  for (int i = 0; i < Inputs + 1 && m > 1 && Column; ++i)
    require(kept[i] == sizeof(T));
  for (int64_t j = 0; j < m; ++j) {
    T lanes[kReductionLanes];
    std::fill(std::begin(lanes), std::end(lanes), Op<T>::start);
    for (int64_t k = 0; k < n; ++k) {
      T value = load<T>(at(args[0], k * reduced[0] + j * kept[0]));
      for (int i = 1; i < Inputs; ++i)
        value = wrapMul(value, load<T>(at(args[i], k * reduced[i] + j * kept[i])));
      T &lane = lanes[k % kReductionLanes];
      lane = Op<T>::apply(lane, value);
    }
    for (int64_t step = kReductionLanes / 2; step > 0; step /= 2)
      for (int64_t lane = 0; lane < step; ++lane)
        lanes[lane] = Op<T>::apply(lanes[lane], lanes[lane + step]);
    store<T>(const_cast<char *>(at(args[Inputs], j * kept[Inputs])), n ? lanes[0] : Op<T>::identity);
  }
  return kOk;
}

constexpr int32_t kRows = 12;

template <typename T, int Columns>
void tile(const void *a, int64_t aStep, const void *b, int64_t bStep, int64_t bColumn, void *c, int64_t cColumn,
          int64_t rows, int64_t k, int64_t accumulate) {
  require(rows > 0 && rows <= kRows);
  for (int64_t j = 0; j < Columns; ++j)
    for (int64_t i = 0; i < rows; ++i) {
      char *out = const_cast<char *>(at(c, static_cast<int64_t>(i * sizeof(T)) + j * cColumn));
      T sum = accumulate ? load<T>(out) : T(0);
      for (int64_t p = 0; p < k; ++p) {
        T x = load<T>(at(a, static_cast<int64_t>(i * sizeof(T)) + p * aStep)),
          y = load<T>(at(b, p * bStep + j * bColumn));
        if constexpr (std::is_integral_v<T>)
          sum = wrapAdd(sum, wrapMul(x, y));
        else
          sum = std::fma(x, y, sum);
      }
      store(out, sum);
    }
}

struct Table {
  std::vector<std::string> names;
  std::vector<Tier0Kernel> rows;

  Tier0Kernel &add(std::string name, Tier0Class kind, std::vector<DType> dtypes) {
    Tier0Kernel kernel{};
    names.push_back(std::move(name));
    kernel.kind = kind;
    kernel.inputs = static_cast<uint8_t>(dtypes.size() - 1);
    kernel.outputs = 1;
    std::copy(dtypes.begin(), dtypes.end(), kernel.dtypes);
    rows.push_back(kernel);
    return rows.back();
  }
  template <typename F> static void *address(F *function) { return reinterpret_cast<void *>(function); }

  template <typename T, template <typename> class Op> void addBinary(const std::string &mnemonic) {
    DType dtype = dtypeOf<T>;
    Tier0Kernel &kernel = add(mnemonic + "." + std::string(name(dtype)), Tier0Class::Map, {dtype, dtype, dtype});
    kernel.variants[0] = address(binary<T, Op, 0>);
    kernel.variants[1] = address(binary<T, Op, 1>);
    kernel.variants[2] = address(binary<T, Op, 2>);
  }
  template <typename T> void addArithmetic() {
    addBinary<T, Add>("add");
    addBinary<T, Sub>("sub");
    addBinary<T, Mul>("mul");
    DType dtype = dtypeOf<T>;
    add("neg." + std::string(name(dtype)), Tier0Class::Map, {dtype, dtype}).variants[0] = address(negate<T>);
  }
  template <typename T> void addLong() {
    DType dtype = dtypeOf<T>;
    std::string suffix = "." + std::string(name(dtype));
    Tier0Kernel &sum = add("sum" + suffix, Tier0Class::Reduce, {dtype, dtype});
    sum.variants[0] = address(reduce<T, Sum, 1, false>);
    sum.variants[1] = address(reduce<T, Sum, 1, true>);
    Tier0Kernel &max = add("max" + suffix, Tier0Class::Reduce, {dtype, dtype});
    max.variants[0] = address(reduce<T, Max, 1, false>);
    max.variants[1] = address(reduce<T, Max, 1, true>);
    Tier0Kernel &dot = add("dot" + suffix, Tier0Class::Reduce, {dtype, dtype, dtype});
    dot.variants[0] = address(reduce<T, Sum, 2, false>);
    dot.variants[1] = address(reduce<T, Sum, 2, true>);
    Tier0Kernel &matmul = add("matmul" + suffix, Tier0Class::Matmul, {dtype, dtype, dtype});
    matmul.variants[0] = address(tile<T, 1>);
    matmul.variants[1] = address(tile<T, 2>);
    matmul.variants[2] = address(tile<T, 3>);
    matmul.variants[3] = address(tile<T, 4>);
    matmul.columns = 4;
    matmul.rows = kRows;
  }

  Table() {
    addArithmetic<float>();
    addArithmetic<double>();
    addArithmetic<int32_t>();
    addArithmetic<int64_t>();
    addBinary<int32_t, Div>("div");
    addLong<float>();
    addLong<double>();
    addLong<int64_t>();
    Tier0Kernel &choice = add("select.f64", Tier0Class::Map, {DType::Bool, DType::F64, DType::F64, DType::F64});
    choice.variants[0] = address(select<0>);
    choice.variants[1] = address(select<1>);
    choice.variants[2] = address(select<2>);
    choice.variants[3] = address(select<3>);
    choice.variants[4] = address(select<4>);
    choice.variants[5] = address(select<5>);
    choice.variants[6] = address(select<6>);
    Tier0Kernel &count = add("iota.f64", Tier0Class::Map, {DType::I64, DType::F64});
    count.access[0] = Access::Index;
    count.variants[0] = address(iota);
    Tier0Kernel &hot = add("one_hot.i64.f64", Tier0Class::Map, {DType::I64, DType::I64, DType::F64});
    hot.access[1] = Access::Index;
    hot.variants[0] = address(oneHot);

    std::vector<size_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      rows[i].name = names[i].c_str();
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return names[a] < names[b]; });
    std::vector<Tier0Kernel> sorted;
    for (size_t i : order)
      sorted.push_back(rows[i]);
    rows = std::move(sorted);
  }
};

} // namespace

const KernelTable &kernels() {
  static const Table table;
  static const KernelTable index(table.rows);
  return index;
}

int violations() { return violationCount.load(); }
void resetViolations() { violationCount.store(0); }

} // namespace tenferro::runtime::test
