// Every decision is made once for all sets: an operation is added where the shape rules allow it in each of them.
#include "test/unit/corpus/RelatedProgram.h"

#include "lib/Core/ShapeRules.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

namespace tenferro::test {

using core::OpKind;
using core::ValueType;

namespace {

/// Of a value; some programs have more than many caches, and enough for every thread.
constexpr int64_t kMostElements = int64_t{1} << 17, kManyElements = int64_t{1} << 22;
constexpr uint32_t kNone = ~uint32_t{0};

/// A number in every set.
using Number = std::array<int64_t, kSizeSets>;
Number always(int64_t value) {
  Number number;
  number.fill(value);
  return number;
}
template <typename Operation> Number combine(const Number &a, const Number &b, Operation operation) {
  Number result;
  for (size_t s = 0; s < kSizeSets; ++s)
    result[s] = operation(a[s], b[s]);
  return result;
}
Number plus(const Number &a, const Number &b) {
  return combine(a, b, [](int64_t x, int64_t y) { return x + y; });
}
Number minus(const Number &a, const Number &b) {
  return combine(a, b, [](int64_t x, int64_t y) { return x - y; });
}
Number least(const Number &a, const Number &b) {
  return combine(a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
}

/// Attributes in every set, one entry of the schema after the other.
class AttributeLists {
public:
  AttributeLists &list(const std::vector<Number> &numbers) {
    one(always(static_cast<int64_t>(numbers.size())));
    for (const Number &number : numbers)
      one(number);
    return *this;
  }
  AttributeLists &list(const IntList &numbers) {
    one(always(static_cast<int64_t>(numbers.size())));
    for (int64_t number : numbers)
      one(always(number));
    return *this;
  }
  AttributeLists &one(const Number &number) {
    for (size_t s = 0; s < kSizeSets; ++s)
      lists_[s].push_back(number[s]);
    return *this;
  }
  AttributeLists &one(int64_t number) { return one(always(number)); }
  const core::Attributes &of(size_t set) const { return lists_[set]; }

private:
  std::array<core::Attributes, kSizeSets> lists_;
};

class RelatedBuilder {
public:
  RelatedBuilder(RelatedProgram &program, Random &random, const std::vector<Number> &sizes, int64_t mostElements)
      : program_(program), random_(random), sizes_(sizes), mostElements_(mostElements) {}

  struct Value {
    DType dtype;
    std::vector<Number> shape;
  };

  core::Graph &graph(size_t set) {
    RandomProgram &program = program_.sets[set];
    return program.nested ? program.inner : program.graph;
  }

  void input(DType dtype, const std::vector<Number> &shape) {
    for (size_t s = 0; s < kSizeSets; ++s)
      graph(s).inputs.push_back({dtype, shapeIn(shape, s)});
    values_.push_back({dtype, shape});
  }

  uint32_t add(OpKind kind, const std::vector<uint32_t> &operands, const AttributeLists &attributes = {}) {
    std::array<ValueType, kSizeSets> results;
    for (size_t s = 0; s < kSizeSets; ++s) {
      std::vector<ValueType> types;
      for (uint32_t operand : operands)
        types.push_back({values_[operand].dtype, shapeIn(values_[operand].shape, s)});
      auto result = core::inferResult(kind, types, attributes.of(s));
      if (!result || result->shape.elementCount() > mostElements_)
        return kNone;
      results[s] = std::move(*result);
      if (results[s].shape.size() != results[0].shape.size())
        return kNone;
    }
    Value value{results[0].dtype, {}};
    for (size_t d = 0; d < results[0].shape.size(); ++d) {
      Number extent;
      for (size_t s = 0; s < kSizeSets; ++s)
        extent[s] = results[s].shape[d];
      value.shape.push_back(extent);
    }
    for (size_t s = 0; s < kSizeSets; ++s) {
      core::GraphOp op;
      op.kind = kind;
      op.attributes = attributes.of(s);
      op.operands = operands;
      op.results = {results[s]};
      graph(s).ops.push_back(std::move(op));
    }
    values_.push_back(std::move(value));
    return static_cast<uint32_t>(values_.size() - 1);
  }

  const Value &value(uint32_t number) const { return values_[number]; }
  size_t valueCount() const { return values_.size(); }

  void anyOperation() {
    switch (random_.below(14)) {
    case 0:
    case 1:
      return unary();
    case 2:
    case 3:
    case 4:
      return binary();
    case 5:
      return concatenate();
    case 6:
      return split();
    case 7:
      return slice();
    case 8:
      return pad();
    case 9:
      return reduce();
    case 10:
      return product();
    case 11:
      return reorder();
    case 12:
      return reshape();
    default:
      return index();
    }
  }

  /// `value` in another shape, by way of its sum where no broadcast leads there; kNone if that is impossible.
  uint32_t fit(uint32_t value, const Value &to) {
    if (values_[value].dtype != to.dtype)
      value = add(OpKind::Cast, {value}, AttributeLists().one(static_cast<int64_t>(to.dtype)));
    if (value == kNone || values_[value].shape == to.shape)
      return value;
    IntList axes(values_[value].shape.size(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    uint32_t scalar = axes.empty() ? value : add(OpKind::Sum, {value}, AttributeLists().list(axes));
    return scalar == kNone ? kNone
                           : add(OpKind::BroadcastInDim, {scalar}, AttributeLists().list(IntList{}).list(to.shape));
  }

  /// Along an axis: a size, a constant, the whole or most of it.
  Number position(const Number &extent) {
    switch (random_.below(6)) {
    case 0:
      return least(random_.pick(sizes_), extent);
    case 1:
      return minus(extent, least(always(random_.below(4)), extent));
    case 2:
      return extent;
    default:
      return least(always(random_.below(5)), extent);
    }
  }

private:
  static Shape shapeIn(const std::vector<Number> &numbers, size_t set) {
    Shape shape;
    for (const Number &number : numbers)
      shape.push_back(number[set]);
    return shape;
  }

  uint32_t recent() {
    const auto count = static_cast<int64_t>(values_.size());
    return static_cast<uint32_t>(random_.chance(60) ? count - 1 - random_.below(std::min<int64_t>(count, 3))
                                                    : random_.below(count));
  }
  uint32_t any() { return static_cast<uint32_t>(random_.below(static_cast<int64_t>(values_.size()))); }
  /// A recent value with axes; kNone if there is none.
  uint32_t recentArray() {
    for (int tries = 0; tries < 4; ++tries)
      if (uint32_t value = recent(); !values_[value].shape.empty())
        return value;
    return kNone;
  }

  void unary() {
    static const std::array kinds = {OpKind::Neg, OpKind::Exp, OpKind::Tanh, OpKind::Sin, OpKind::Abs, OpKind::Sigmoid};
    uint32_t a = recent();
    add(random_.pick(kinds), {a});
  }

  void binary() {
    static const std::array kinds = {OpKind::Add, OpKind::Mul, OpKind::Sub, OpKind::Mul, OpKind::Div, OpKind::Maximum};
    uint32_t a = recent(), b = fit(any(), values_[a]);
    if (b != kNone)
      add(random_.pick(kinds), {a, b});
  }

  void concatenate() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    const int64_t axis = random_.below(static_cast<int64_t>(values_[a].shape.size()));
    std::vector<uint32_t> parts{a};
    for (int64_t more = random_.chance(40) ? 5 + random_.below(3) : random_.below(4); more > 0; --more) {
      uint32_t b = any();
      Value like = values_[a];
      if (values_[b].shape.size() == like.shape.size())
        like.shape[static_cast<size_t>(axis)] = values_[b].shape[static_cast<size_t>(axis)];
      if (random_.chance(30))
        b = a;
      else if (values_[b].shape != like.shape)
        b = fit(b, like);
      if (b != kNone)
        parts.insert(parts.begin() + random_.below(static_cast<int64_t>(parts.size()) + 1), b);
    }
    add(OpKind::Concatenate, parts, AttributeLists().one(axis));
  }

  uint32_t part(uint32_t a, size_t axis, const Number &start, const Number &limit, int64_t stride = 1) {
    const std::vector<Number> shape = values_[a].shape;
    std::vector<Number> starts(shape.size(), always(0)), limits = shape, strides(shape.size(), always(1));
    starts[axis] = start;
    limits[axis] = limit;
    strides[axis] = always(stride);
    return add(OpKind::Slice, {a}, AttributeLists().list(starts).list(limits).list(strides));
  }

  /// Parts one behind the other, of which some come together again.
  void split() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    const auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(values_[a].shape.size())));
    const Number extent = values_[a].shape[axis];
    std::vector<uint32_t> parts;
    Number start = always(0);
    for (int64_t i = 0, count = random_.chance(40) ? 6 + random_.below(3) : 2 + random_.below(3); i < count; ++i) {
      Number length = random_.chance(50) ? random_.pick(sizes_) : always(1 + random_.below(3));
      Number limit = i + 1 == count ? extent : plus(start, length);
      uint32_t made = part(a, axis, start, limit);
      if (made == kNone)
        break;
      parts.push_back(made);
      start = limit;
    }
    if (parts.size() < 2 || random_.chance(40))
      return;
    for (size_t i = parts.size() - 1; i > 0; --i)
      std::swap(parts[i], parts[static_cast<size_t>(random_.below(static_cast<int64_t>(i) + 1))]);
    add(OpKind::Concatenate, parts, AttributeLists().one(static_cast<int64_t>(axis)));
  }

  void slice() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    const auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(values_[a].shape.size())));
    const Number extent = values_[a].shape[axis], from = position(extent), to = position(extent);
    part(a, axis, least(from, to), combine(from, to, [](int64_t x, int64_t y) { return std::max(x, y); }),
         random_.chance(60) ? 1 : 1 + random_.below(3));
  }

  void pad() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    std::vector<Number> low, high, interior;
    for (size_t d = 0; d < values_[a].shape.size(); ++d) {
      low.push_back(random_.chance(30) ? random_.pick(sizes_) : always(random_.below(4)));
      high.push_back(random_.chance(30) ? random_.pick(sizes_) : always(random_.below(4)));
      interior.push_back(always(random_.chance(30) ? random_.below(3) : 0));
    }
    add(OpKind::Pad, {a}, AttributeLists().list(low).list(high).list(interior));
  }

  void reduce() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    IntList axes;
    const auto rank = static_cast<int64_t>(values_[a].shape.size());
    if (random_.chance(25)) {
      add(OpKind::Cumsum, {a}, AttributeLists().one(random_.below(rank)).one(random_.below(2)));
      return;
    }
    if (random_.chance(10)) {
      add(OpKind::Argmax, {a}, AttributeLists().one(random_.below(rank)));
      return;
    }
    for (int64_t axis = 0; axis < rank; ++axis)
      if (random_.chance(60))
        axes.push_back(axis);
    static const std::array kinds = {OpKind::Sum, OpKind::Sum, OpKind::Max, OpKind::Min, OpKind::Prod};
    add(random_.chance(90) ? random_.pick(std::array{OpKind::Sum, OpKind::Sum, OpKind::Max}) : random_.pick(kinds), {a},
        AttributeLists().list(axes));
  }

  void product() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    uint32_t b = random_.chance(50) ? a : recentArray();
    if (b == kNone || values_[a].dtype != values_[b].dtype)
      return;
    IntList contractA, contractB, batchA, batchB;
    std::vector<bool> used(values_[b].shape.size(), false);
    Number terms = always(1);
    for (size_t i = 0; i < values_[a].shape.size(); ++i)
      for (size_t j = 0; j < values_[b].shape.size(); ++j) {
        if (used[j] || values_[a].shape[i] != values_[b].shape[j] || !random_.chance(60))
          continue;
        used[j] = true;
        const bool batch = random_.chance(20);
        (batch ? batchA : contractA).push_back(static_cast<int64_t>(i));
        (batch ? batchB : contractB).push_back(static_cast<int64_t>(j));
        if (!batch)
          terms = combine(terms, values_[a].shape[i], [](int64_t x, int64_t y) { return x * y; });
        break;
      }
    if (*std::max_element(terms.begin(), terms.end()) <= 1 << 13)
      add(OpKind::DotGeneral, {a, b}, AttributeLists().list(contractA).list(contractB).list(batchA).list(batchB));
  }

  /// Transposes, reversals, diagonals and new axes.
  void reorder() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    const auto rank = static_cast<int64_t>(values_[a].shape.size());
    IntList axes;
    switch (random_.below(4)) {
    case 0:
      for (int64_t axis = 0; axis < rank; ++axis)
        axes.push_back((axis + 1) % rank);
      add(OpKind::Transpose, {a}, AttributeLists().list(axes));
      return;
    case 1:
      for (int64_t axis = 0; axis < rank; ++axis)
        if (random_.chance(60))
          axes.push_back(axis);
      add(OpKind::Reverse, {a}, AttributeLists().list(axes));
      return;
    case 2: {
      std::vector<Number> shape = values_[a].shape;
      const int64_t extra = random_.below(rank + 1);
      shape.insert(shape.begin() + extra, random_.chance(60) ? random_.pick(sizes_) : always(1 + random_.below(3)));
      for (int64_t axis = 0; axis <= rank; ++axis)
        if (axis != extra)
          axes.push_back(axis);
      add(OpKind::BroadcastInDim, {a}, AttributeLists().list(axes).list(shape));
      return;
    }
    default:
      if (random_.chance(50))
        add(OpKind::EmbedDiag, {a}, AttributeLists().one(random_.below(2)).one(random_.below(2)));
      else
        add(OpKind::ExtractDiag, {a}, AttributeLists().one(random_.below(2)).one(random_.below(2)));
    }
  }

  void reshape() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    std::vector<Number> shape = values_[a].shape;
    if (shape.size() > 1 && random_.chance(60)) { // merge two
      const auto axis = random_.below(static_cast<int64_t>(shape.size()) - 1);
      shape[static_cast<size_t>(axis)] = combine(shape[static_cast<size_t>(axis)], shape[static_cast<size_t>(axis) + 1],
                                                 [](int64_t x, int64_t y) { return x * y; });
      shape.erase(shape.begin() + axis + 1);
    } else { // part one
      const auto axis = random_.below(static_cast<int64_t>(shape.size()));
      const Number divisor = random_.chance(50) ? random_.pick(sizes_) : always(2 + random_.below(2));
      Number &extent = shape[static_cast<size_t>(axis)];
      extent = combine(extent, divisor, [](int64_t x, int64_t y) { return y > 0 && x % y == 0 ? x / y : -1; });
      if (*std::min_element(extent.begin(), extent.end()) < 0)
        return;
      shape.insert(shape.begin() + axis, divisor);
    }
    add(OpKind::Reshape, {a}, AttributeLists().list(shape));
  }

  /// Elements by numbers that lie inside in every set.
  void index() {
    uint32_t a = recentArray();
    if (a == kNone)
      return;
    const auto rank = static_cast<int64_t>(values_[a].shape.size());
    const int64_t axis = random_.below(rank);
    const Number extent = values_[a].shape[static_cast<size_t>(axis)];
    const Number count = random_.chance(50) ? least(random_.pick(sizes_), extent) : extent;
    auto iota = [&](const std::vector<Number> &shape, DType dtype) {
      return add(OpKind::Iota, {}, AttributeLists().one(0).list(shape).one(static_cast<int64_t>(dtype)));
    };
    switch (random_.below(5)) {
    case 0: {
      uint32_t indices = iota({count}, random_.chance(50) ? DType::I64 : DType::I32);
      if (indices != kNone && random_.chance(40))
        indices = add(OpKind::Reverse, {indices}, AttributeLists().list(IntList{0}));
      if (indices != kNone)
        add(OpKind::Take, {a, indices}, AttributeLists().one(axis));
      return;
    }
    case 1: {
      uint32_t indices = iota({extent}, DType::I64);
      if (indices != kNone)
        add(OpKind::ScatterAdd, {indices, a},
            AttributeLists().one(axis).one(random_.chance(60) ? extent : plus(extent, random_.pick(sizes_))));
      return;
    }
    case 2: {
      uint32_t indices = iota({count}, DType::I32);
      if (indices != kNone)
        add(OpKind::OneHot, {indices},
            AttributeLists().one(random_.pick(sizes_)).one(random_.below(2)).one(static_cast<int64_t>(DType::F64)));
      return;
    }
    case 3: { // windows of a size from the first elements on
      std::vector<Number> sizes = values_[a].shape;
      sizes[static_cast<size_t>(axis)] = minus(plus(extent, always(1)), least(count, extent));
      uint32_t starts = iota({count, always(1)}, DType::I64);
      IntList window;
      for (int64_t d = 0; d < rank; ++d)
        window.push_back(d + 1);
      if (starts != kNone)
        add(OpKind::Gather, {a, starts},
            AttributeLists().list(window).list(IntList{}).list(IntList{axis}).one(1).list(sizes).one(random_.below(3)));
      return;
    }
    default: {
      uint32_t ramp = iota(values_[a].shape, values_[a].dtype);
      if (ramp != kNone)
        add(OpKind::Mul, {a, ramp});
    }
    }
  }

  RelatedProgram &program_;
  Random &random_;
  const std::vector<Number> &sizes_;
  const int64_t mostElements_;
  std::deque<Value> values_; ///< what value() refers to stays where it is
};

int64_t anySize(Random &random) {
  static const std::array<int64_t, 30> sizes = {2,   3,   4,   5,   6,    7,    8,    9,    12,   15,
                                                16,  17,  31,  32,  33,   63,   64,   65,   100,  127,
                                                128, 255, 256, 257, 1000, 1024, 4095, 4096, 4097, 9000};
  return random.pick(sizes);
}

/// n and m in every set.
std::vector<Number> drawSizes(Random &random, bool &isRelated) {
  const int64_t relation = random.below(9);
  auto relate = [&](int64_t n) -> int64_t {
    switch (relation) {
    case 0:
      return 4 * n;
    case 1:
      return n + 1;
    case 2:
      return 2 * n - 1;
    case 3:
      return n > 3 ? n - 2 : n + 2;
    case 4:
      return n < 70 ? n * n : n + 3;
    case 5:
      return 2 * n;
    default:
      return anySize(random);
    }
  };
  Number n, m;
  const bool near = random.chance(50);
  for (size_t s = 0; s < kSizeSets; ++s)
    do
      n[s] = s && near && random.chance(60) ? std::max<int64_t>(n[0] + random.below(7) - 3, 2) : anySize(random);
    while (s == 1 && n[1] == n[0]);
  const bool mVaries = random.chance(70);
  isRelated = mVaries && relation < 6;
  for (size_t s = 0; s < kSizeSets; ++s)
    m[s] = s && !mVaries ? m[0] : s < 2 || !isRelated || random.chance(20) ? relate(n[s]) : anySize(random);
  return {n, m};
}

/// Leaves operations out that nothing needs, as a recording does.
void prune(core::Graph &graph) {
  const auto inputs = static_cast<uint32_t>(graph.inputs.size());
  std::vector<bool> needed(inputs + graph.ops.size(), false);
  for (uint32_t output : graph.outputs)
    needed[output] = true;
  for (size_t i = graph.ops.size(); i-- > 0;)
    if (needed[inputs + i])
      for (uint32_t operand : graph.ops[i].operands)
        needed[operand] = true;
  std::vector<uint32_t> numbers(needed.size(), 0);
  std::iota(numbers.begin(), numbers.begin() + inputs, 0);
  std::vector<core::GraphOp> kept;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (!needed[inputs + i])
      continue;
    numbers[inputs + i] = static_cast<uint32_t>(inputs + kept.size());
    kept.push_back(std::move(graph.ops[i]));
    for (uint32_t &operand : kept.back().operands)
      operand = numbers[operand];
  }
  graph.ops = std::move(kept);
  for (uint32_t &output : graph.outputs)
    output = numbers[output];
}

} // namespace

RelatedProgram relatedProgram(Random &random) {
  RelatedProgram program;
  const bool differentiate = random.chance(70), nested = differentiate && random.chance(35);
  for (RandomProgram &set : program.sets)
    set.nested = nested;
  std::vector<Number> sizes = drawSizes(random, program.isRelated);
  const bool isLarge = random.chance(3);
  if (isLarge)
    sizes[0][kSizeSets - 1] = 3000000 + random.below(1000);
  const int64_t mostElements = isLarge ? kManyElements : kMostElements;
  RelatedBuilder builder(program, random, sizes, mostElements);
  const DType dtype = random.chance(70) ? DType::F64 : DType::F32;
  for (int64_t inputs = 1 + random.below(3); inputs > 0; --inputs) {
    std::vector<Number> shape;
    Number count = always(1);
    for (int64_t rank = 1 + random.below(3); rank > 0; --rank) {
      const int64_t roll = random.below(100);
      const Number extent = roll < 45   ? sizes[0]
                            : roll < 75 ? sizes[1]
                            : roll < 80 ? plus(sizes[0], sizes[1])
                                        : always(1 + random.below(6));
      count = combine(count, extent, [](int64_t x, int64_t y) { return x * y; });
      if (*std::max_element(count.begin(), count.end()) > (isLarge ? mostElements : mostElements / 4))
        break;
      shape.push_back(extent);
    }
    builder.input(random.chance(85) ? dtype : random.pick(std::array{DType::I32, DType::I64, DType::U8}), shape);
  }
  const int64_t ops = 1 + random.below(differentiate ? 9 : 14);
  for (int64_t tries = 0; static_cast<int64_t>(builder.graph(0).ops.size()) < ops && tries < 100; ++tries)
    builder.anyOperation();

  if (builder.graph(0).ops.empty())
    builder.add(OpKind::Neg, {0});

  // Outputs and what to do with them.
  std::vector<uint32_t> outputs, wrt;
  const auto count = static_cast<uint32_t>(builder.valueCount());
  for (uint32_t value = count; value-- > 0 && outputs.size() < 2;)
    if (!differentiate || isDifferentiable(builder.value(value).dtype))
      if (outputs.empty() || random.chance(20))
        outputs.push_back(value);
  const bool isDiscrete = outputs.empty();
  if (isDiscrete)
    outputs.push_back(count - 1);
  const auto inputs = static_cast<uint32_t>(builder.graph(0).inputs.size());
  for (uint32_t value = 0; value < inputs; ++value)
    if (isDifferentiable(builder.value(value).dtype))
      wrt.push_back(value);
  core::Transform transform;
  if (differentiate && !wrt.empty() && !isDiscrete) {
    transform.kind = random.chance(70) ? core::TransformKind::Vjp : core::TransformKind::Jvp;
    transform.wrt = wrt;
    transform.seedOnes =
        transform.kind == core::TransformKind::Vjp && outputs.size() == 1 && builder.value(outputs[0]).shape.empty();
  }
  for (size_t s = 0; s < kSizeSets; ++s) {
    RandomProgram &set = program.sets[s];
    builder.graph(s).outputs = outputs;
    prune(builder.graph(s));
    if (set.nested && transform.kind == core::TransformKind::Forward) {
      set.graph = std::move(set.inner);
      set.nested = false;
    }
    (set.nested ? set.innerTransform : set.transform) = transform;
  }
  return program;
}

} // namespace tenferro::test
