// Random programs: operations are drawn, their operands are fitted, and lib/Core's shape rules decide what is legal.
#include "test/unit/corpus/RandomProgram.h"

#include "lib/Core/ShapeRules.h"

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <numeric>

namespace tenferro::test {

using core::Attributes;
using core::GraphOp;
using core::OpKind;
using core::ValueType;

namespace {

constexpr int64_t kMostElements = int64_t{1} << 18;
constexpr std::array<int64_t, 6> kExtents = {0, 1, 7, 64, 1003, 4096};
constexpr std::array<DType, 6> kDTypes = {DType::F64, DType::F32, DType::I64, DType::I32, DType::U8, DType::Bool};

/// The flat attribute list of an operation from one list per entry of its schema.
Attributes flatten(OpKind kind, std::initializer_list<IntList> entries) {
  Attributes flat;
  auto entry = entries.begin();
  for (const core::AttributeSchema &attribute : core::schema(kind).attributes) {
    bool list = attribute.kind == core::AttributeKind::IntArray || attribute.kind == core::AttributeKind::ResultShape;
    if (list)
      flat.push_back(static_cast<int64_t>(entry->size()));
    for (int64_t value : *entry)
      flat.push_back(value);
    ++entry;
  }
  return flat;
}

IntList one(int64_t value) { return IntList{value}; }

/// Grows a graph; every method adds at most a few operations and returns a value, or kNone where nothing fits.
class Builder {
public:
  Builder(core::Graph &graph, Random &random) : graph_(graph), random_(random) {}
  static constexpr uint32_t kNone = ~uint32_t{0};

  Shape randomShape() {
    int64_t rank = random_.below(6);
    Shape shape;
    int64_t count = 1;
    for (int64_t i = 0; i < rank; ++i) {
      // Zero extents are drawn less often: they make everything after them empty.
      int64_t extent = random_.chance(4) ? 0 : kExtents[1 + static_cast<size_t>(random_.below(5))];
      if (count * std::max<int64_t>(extent, 1) > kMostElements)
        extent = random_.chance(50) ? 7 : 1;
      if (count * std::max<int64_t>(extent, 1) > kMostElements)
        extent = 1;
      count *= std::max<int64_t>(extent, 1);
      shape.push_back(extent);
    }
    return shape;
  }

  uint32_t input(ValueType type) {
    // Inputs come before operations in the numbering, so they are all made first.
    graph_.inputs.push_back(type);
    types_.push_back(std::move(type));
    return static_cast<uint32_t>(types_.size() - 1);
  }

  uint32_t add(OpKind kind, std::vector<uint32_t> operands, const Attributes &attributes) {
    std::vector<ValueType> operandTypes;
    for (uint32_t operand : operands)
      operandTypes.push_back(types_[operand]);
    core::Expected<ValueType> result = core::inferResult(kind, operandTypes, attributes);
    if (!result || result->shape.elementCount() > kMostElements)
      return kNone;
    GraphOp op;
    op.kind = kind;
    op.attributes = attributes;
    op.operands = std::move(operands);
    op.results = {*result};
    graph_.ops.push_back(std::move(op));
    types_.push_back(*result);
    return static_cast<uint32_t>(types_.size() - 1);
  }

  uint32_t anyValue() { return static_cast<uint32_t>(random_.below(static_cast<int64_t>(types_.size()))); }
  /// A recent value more often than an old one, so that programs are deep.
  uint32_t recentValue() {
    int64_t n = static_cast<int64_t>(types_.size());
    return static_cast<uint32_t>(random_.chance(60) ? n - 1 - random_.below(std::min<int64_t>(n, 3)) : random_.below(n));
  }
  const ValueType &type(uint32_t value) const { return types_[value]; }
  size_t valueCount() const { return types_.size(); }

  uint32_t cast(uint32_t value, DType dtype) {
    return type(value).dtype == dtype ? value : add(OpKind::Cast, {value}, flatten(OpKind::Cast, {one(static_cast<int64_t>(dtype))}));
  }

  /// `value` brought to `type`'s dtype and shape by cast, broadcast, reduction and slicing; kNone if it does not fit.
  uint32_t fit(uint32_t value, const ValueType &to) {
    value = cast(value, to.dtype);
    if (value == kNone || type(value).shape == to.shape)
      return value;
    // Reduce to a scalar and spread it, or spread a prefix of equal extents.
    const Shape from = type(value).shape;
    if (from.rank() <= to.shape.rank()) {
      int64_t offset = to.shape.rank() - from.rank();
      IntList dims;
      bool fits = true;
      for (int64_t i = 0; i < from.rank(); ++i) {
        dims.push_back(offset + i);
        fits = fits && from[static_cast<size_t>(i)] == to.shape[static_cast<size_t>(offset + i)];
      }
      if (fits)
        return add(OpKind::BroadcastInDim, {value}, flatten(OpKind::BroadcastInDim, {dims, to.shape}));
    }
    if (to.dtype == DType::Bool)
      return kNone;
    IntList all(from.size(), 0);
    std::iota(all.begin(), all.end(), 0);
    uint32_t scalar = add(OpKind::Sum, {value}, flatten(OpKind::Sum, {all}));
    if (scalar == kNone)
      return kNone;
    return add(OpKind::BroadcastInDim, {scalar}, flatten(OpKind::BroadcastInDim, {IntList{}, to.shape}));
  }

  uint32_t elementwise() {
    static const std::array unary = {OpKind::Neg, OpKind::Abs, OpKind::Sign, OpKind::Exp, OpKind::Log, OpKind::Log1p,
                                                 OpKind::Expm1, OpKind::Sqrt, OpKind::Rsqrt, OpKind::Tanh, OpKind::Sigmoid, OpKind::Erf,
                                                 OpKind::Sin, OpKind::Cos, OpKind::Tan, OpKind::Asin, OpKind::Acos, OpKind::Atan,
                                                 OpKind::Sinh, OpKind::Cosh, OpKind::Asinh, OpKind::Acosh, OpKind::Atanh, OpKind::Exp2,
                                                 OpKind::Log2, OpKind::Log10, OpKind::Cbrt, OpKind::Erfc, OpKind::Silu, OpKind::Floor,
                                                 OpKind::Ceil, OpKind::Round, OpKind::Trunc, OpKind::IsNan, OpKind::IsInf, OpKind::IsFinite};
    static const std::array binary = {OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Div, OpKind::Pow, OpKind::Maximum,
                                                 OpKind::Minimum, OpKind::Szmul, OpKind::Rem, OpKind::FloorDivide, OpKind::Atan2,
                                                 OpKind::Hypot, OpKind::Logaddexp, OpKind::Xlogy};
    uint32_t a = recentValue();
    switch (random_.below(10)) {
    case 0:
    case 1:
    case 8:
      return add(random_.pick(unary), {a}, {});
    case 9: {
      uint32_t lower = fit(anyValue(), type(a)), upper = lower == kNone ? kNone : fit(anyValue(), type(a));
      return upper == kNone ? kNone : add(OpKind::Clamp, {a, lower, upper}, {});
    }
    case 2: {
      uint32_t b = fit(anyValue(), type(a));
      return b == kNone ? kNone : add(OpKind::Compare, {a, b}, flatten(OpKind::Compare, {one(random_.below(6))}));
    }
    case 3: {
      uint32_t predicate = fit(anyValue(), {DType::Bool, type(a).shape});
      uint32_t b = predicate == kNone ? kNone : fit(anyValue(), type(a));
      return b == kNone ? kNone : add(OpKind::Select, {predicate, a, b}, {});
    }
    case 4: {
      DType to = random_.pick(kDTypes);
      OpKind kind = core::isLossless(type(a).dtype, to) && random_.chance(50) ? OpKind::Convert : OpKind::Cast;
      return add(kind, {a}, flatten(kind, {one(static_cast<int64_t>(to))}));
    }
    default: {
      uint32_t b = fit(random_.chance(20) ? a : anyValue(), type(a));
      if (b == kNone)
        return kNone;
      OpKind kind = random_.pick(binary);
      return random_.chance(50) ? add(kind, {a, b}, {}) : add(kind, {b, a}, {});
    }
    }
  }

  uint32_t reduction() {
    uint32_t a = recentValue();
    IntList axes;
    for (int64_t i = 0; i < type(a).shape.rank(); ++i)
      if (random_.chance(50))
        axes.push_back(i);
    if (random_.chance(25) && type(a).shape.rank()) { // along one axis
      int64_t axis = random_.below(type(a).shape.rank());
      switch (random_.below(4)) {
      case 0:
        return add(OpKind::Argmax, {a}, flatten(OpKind::Argmax, {one(axis)}));
      case 1:
        return add(OpKind::Argmin, {a}, flatten(OpKind::Argmin, {one(axis)}));
      default:
        return add(OpKind::Cumsum, {a}, flatten(OpKind::Cumsum, {one(axis), one(random_.below(2))}));
      }
    }
    static const std::array<OpKind, 5> kinds = {OpKind::Sum, OpKind::Sum, OpKind::Prod, OpKind::Max, OpKind::Min};
    static const std::array<OpKind, 2> truths = {OpKind::Any, OpKind::All};
    OpKind kind = type(a).dtype == DType::Bool ? random_.pick(truths) : random_.pick(kinds);
    return add(kind, {a}, flatten(kind, {axes}));
  }

  uint32_t movement() {
    uint32_t a = recentValue();
    const Shape shape = type(a).shape;
    int64_t rank = shape.rank();
    if (random_.chance(5))
      return add(OpKind::Detach, {a}, {});
    switch (random_.below(9)) {
    case 0: { // split, join or drop axes
      Shape to;
      if (rank && random_.chance(50)) {
        to.push_back(shape.elementCount());
      } else {
        for (int64_t extent : shape) {
          if (extent && extent % 7 == 0 && extent > 7) {
            to.push_back(7);
            to.push_back(extent / 7);
          } else if (extent == 64 || extent == 4096) {
            to.push_back(extent / 8);
            to.push_back(8);
          } else if (extent != 1 || random_.chance(50)) {
            to.push_back(extent);
          }
        }
        if (random_.chance(30))
          to.push_back(1);
      }
      return add(OpKind::Reshape, {a}, flatten(OpKind::Reshape, {to}));
    }
    case 1: {
      IntList permutation(shape.size(), 0);
      std::iota(permutation.begin(), permutation.end(), 0);
      for (int64_t i = rank - 1; i > 0; --i)
        std::swap(permutation[static_cast<size_t>(i)], permutation[static_cast<size_t>(random_.below(i + 1))]);
      return add(OpKind::Transpose, {a}, flatten(OpKind::Transpose, {permutation}));
    }
    case 2: {
      Shape to = shape;
      IntList dims;
      size_t extra = static_cast<size_t>(random_.below(rank + 1));
      to.insert(extra, random_.chance(50) ? 7 : 1);
      for (size_t i = 0; i < to.size(); ++i)
        if (i != extra)
          dims.push_back(static_cast<int64_t>(i));
      return add(OpKind::BroadcastInDim, {a}, flatten(OpKind::BroadcastInDim, {dims, to}));
    }
    case 3: {
      IntList starts, limits, strides;
      for (int64_t extent : shape) {
        int64_t start = random_.below(extent + 1);
        starts.push_back(start);
        limits.push_back(start + random_.below(extent - start + 1));
        strides.push_back(1 + random_.below(3));
      }
      return add(OpKind::Slice, {a}, flatten(OpKind::Slice, {starts, limits, strides}));
    }
    case 4: {
      if (!rank)
        return kNone;
      std::vector<uint32_t> operands = {a};
      for (int64_t more = random_.below(4); more > 0; --more) {
        uint32_t b = random_.chance(40) ? a : fit(anyValue(), type(a));
        if (b != kNone)
          operands.push_back(b);
      }
      return add(OpKind::Concatenate, operands, flatten(OpKind::Concatenate, {one(random_.below(rank))}));
    }
    case 5: {
      IntList axes;
      for (int64_t i = 0; i < rank; ++i)
        if (random_.chance(60))
          axes.push_back(i);
      return add(OpKind::Reverse, {a}, flatten(OpKind::Reverse, {axes}));
    }
    case 6: {
      if (rank < 2)
        return kNone;
      int64_t first = random_.below(rank), second = (first + 1 + random_.below(rank - 1)) % rank;
      return add(OpKind::ExtractDiag, {a}, flatten(OpKind::ExtractDiag, {one(first), one(second)}));
    }
    case 7: {
      if (!rank)
        return kNone;
      int64_t first = random_.below(rank + 1), second = (first + 1 + random_.below(rank)) % (rank + 1);
      return add(OpKind::EmbedDiag, {a}, flatten(OpKind::EmbedDiag, {one(first), one(second)}));
    }
    default: {
      IntList low, high, interior;
      for (int64_t i = 0; i < rank; ++i) {
        low.push_back(random_.below(3));
        high.push_back(random_.below(3));
        interior.push_back(random_.chance(30) ? random_.below(3) : 0);
      }
      return add(OpKind::Pad, {a}, flatten(OpKind::Pad, {low, high, interior}));
    }
    }
  }

  /// Small non-negative integers below `extent`, from a random value, so that most indices are in range.
  uint32_t indices(int64_t extent) {
    Shape shape = random_.chance(30) ? Shape{} : Shape{random_.chance(50) ? 7 : 64};
    DType dtype = random_.chance(50) ? DType::I64 : DType::I32;
    uint32_t axisless = shape.rank() ? add(OpKind::Iota, {}, flatten(OpKind::Iota, {one(0), shape, one(static_cast<int64_t>(dtype))})) : kNone;
    if (axisless != kNone && extent >= shape[0])
      return axisless;
    if (axisless != kNone && extent > 0 && random_.chance(80)) {
      // iota / ceil(count / extent) stays below the extent.
      Shape scalar;
      uint32_t ones = add(OpKind::Iota, {}, flatten(OpKind::Iota, {one(0), Shape{shape[0] / extent + 2}, one(static_cast<int64_t>(dtype))}));
      uint32_t divisor = ones == kNone ? kNone : add(OpKind::Max, {ones}, flatten(OpKind::Max, {IntList{0}}));
      uint32_t spread = divisor == kNone ? kNone : add(OpKind::BroadcastInDim, {divisor}, flatten(OpKind::BroadcastInDim, {IntList{}, shape}));
      return spread == kNone ? kNone : add(OpKind::Div, {axisless, spread}, {});
    }
    return fit(anyValue(), {dtype, shape}); // whatever: often out of range
  }

  /// A gather from `a` or a scatter into it, over windows of random extents at some of its axes.
  uint32_t windows(uint32_t a) {
    const Shape shape = type(a).shape;
    IntList map, fixed, sizes, window;
    int64_t least = kMostElements;
    for (int64_t axis = 0; axis < shape.rank(); ++axis) {
      int64_t extent = shape[static_cast<size_t>(axis)];
      bool indexed = random_.chance(60), collapsed = random_.chance(50);
      sizes.push_back(collapsed ? 1 : indexed ? std::min<int64_t>(extent, 1 + random_.below(3)) : extent);
      if (collapsed)
        fixed.push_back(axis);
      if (indexed)
        map.push_back(axis);
      if (indexed)
        least = std::min(least, extent - sizes.back() + 1);
    }
    // Index vectors: a value below the smallest extent, so that most starts are inside, per component.
    uint32_t one = indices(least);
    if (one == kNone)
      return kNone;
    int64_t batch = type(one).shape.rank(), components = static_cast<int64_t>(map.size());
    uint32_t index = one;
    int64_t vector = components == 1 ? batch : random_.below(batch + 1);
    if (components != 1) {
      Shape wide = type(one).shape;
      IntList dims;
      for (int64_t d = 0; d < batch; ++d)
        dims.push_back(d < vector ? d : d + 1);
      wide.insert(static_cast<size_t>(vector), components);
      index = add(OpKind::BroadcastInDim, {one}, flatten(OpKind::BroadcastInDim, {dims, wide}));
      if (index == kNone)
        return kNone;
    }
    int64_t windowRank = shape.rank() - static_cast<int64_t>(fixed.size());
    for (int64_t d = 0, left = windowRank; d < batch + windowRank && left > 0; ++d)
      if (random_.chance(50) || batch + windowRank - d == left) {
        window.push_back(d);
        --left;
      }
    IntList mode{random_.chance(40) ? 0 : 1 + random_.below(2)};
    uint32_t picked = add(OpKind::Gather, {a, index},
                          flatten(OpKind::Gather, {window, fixed, map, IntList{vector}, sizes, mode}));
    if (picked == kNone || random_.chance(40))
      return picked;
    uint32_t update = fit(anyValue(), type(picked));
    if (update != kNone && random_.chance(15)) {
      uint32_t addend = random_.chance(50) ? picked : fit(anyValue(), type(picked));
      return addend == kNone ? picked
                             : add(OpKind::ScatterPrefix, {a, index, update, addend},
                                   flatten(OpKind::ScatterPrefix,
                                           {IntList{random_.below(2)}, window, fixed, map, IntList{vector}, mode}));
    }
    return update == kNone ? picked
                           : add(OpKind::Scatter, {a, index, update},
                                 flatten(OpKind::Scatter, {IntList{random_.below(5)}, window, fixed, map, IntList{vector}, mode}));
  }

  uint32_t indexing() {
    uint32_t a = recentValue();
    int64_t rank = type(a).shape.rank();
    switch (random_.below(6)) {
    case 4:
    case 5:
      return windows(a);
    case 0: {
      if (!rank)
        return kNone;
      int64_t axis = random_.below(rank);
      uint32_t index = indices(type(a).shape[static_cast<size_t>(axis)]);
      return index == kNone ? kNone : add(OpKind::Take, {a, index}, flatten(OpKind::Take, {one(axis)}));
    }
    case 1: {
      if (!rank)
        return kNone;
      int64_t axis = random_.below(rank), extent = 1 + random_.below(70);
      uint32_t index = add(OpKind::Iota, {}, flatten(OpKind::Iota, {one(0), Shape{type(a).shape[static_cast<size_t>(axis)]}, one(static_cast<int64_t>(DType::I64))}));
      if (index != kNone && random_.chance(70))
        index = fit(anyValue(), type(index));
      return index == kNone ? kNone : add(OpKind::ScatterAdd, {index, a}, flatten(OpKind::ScatterAdd, {one(axis), one(extent)}));
    }
    case 2: {
      uint32_t index = indices(1 + random_.below(9));
      DType dtype = random_.pick(kDTypes);
      return index == kNone ? kNone
                            : add(OpKind::OneHot, {index},
                                  flatten(OpKind::OneHot, {one(random_.below(10)), one(random_.below(type(index).shape.rank() + 1)),
                                                           one(static_cast<int64_t>(dtype))}));
    }
    default: {
      Shape shape = randomShape();
      if (!shape.rank())
        return kNone;
      return add(OpKind::Iota, {}, flatten(OpKind::Iota, {one(random_.below(shape.rank())), shape,
                                                          one(static_cast<int64_t>(random_.pick(kDTypes)))}));
    }
    }
  }

  uint32_t contraction() {
    uint32_t a = recentValue();
    const Shape shape = type(a).shape;
    if (type(a).dtype == DType::Bool || shape.elementCount() > 1 << 16)
      return kNone;
    // The other side: a value of the same dtype, or a itself; contract axes of equal extents.
    uint32_t b = random_.chance(30) ? a : anyValue();
    b = cast(b, type(a).dtype);
    if (b == kNone || type(b).shape.elementCount() > 1 << 16)
      return kNone;
    const Shape other = type(b).shape;
    IntList lhsContracting, rhsContracting, lhsBatch, rhsBatch;
    std::vector<bool> used(other.size(), false);
    int64_t contracted = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      for (size_t j = 0; j < other.size(); ++j) {
        if (used[j] || shape[i] != other[j] || !random_.chance(60))
          continue;
        used[j] = true;
        bool batch = random_.chance(25);
        (batch ? lhsBatch : lhsContracting).push_back(static_cast<int64_t>(i));
        (batch ? rhsBatch : rhsContracting).push_back(static_cast<int64_t>(j));
        contracted *= batch ? 1 : std::max<int64_t>(shape[i], 1);
        break;
      }
    }
    ValueType result{type(a).dtype, {}};
    Attributes attributes = flatten(OpKind::DotGeneral, {lhsContracting, rhsContracting, lhsBatch, rhsBatch});
    std::array<ValueType, 2> operands = {type(a), type(b)};
    core::Expected<ValueType> inferred = core::inferResult(OpKind::DotGeneral, operands, attributes);
    if (!inferred || inferred->shape.elementCount() * contracted > int64_t{1} << 24)
      return kNone;
    return add(OpKind::DotGeneral, {a, b}, attributes);
  }

private:
  core::Graph &graph_;
  Random &random_;
  std::deque<ValueType> types_; ///< What type() refers to stays where it is as values are added.
};

/// Chooses outputs and a transform for a graph with at least one operation.
core::Transform finish(core::Graph &graph, const Builder &builder, Random &random, bool differentiate) {
  uint32_t last = static_cast<uint32_t>(builder.valueCount() - 1);
  graph.outputs = {last};
  for (int64_t extra = random.below(3); extra > 0; --extra)
    graph.outputs.push_back(static_cast<uint32_t>(random.below(static_cast<int64_t>(builder.valueCount()))));
  core::Transform transform;
  if (!differentiate)
    return transform;
  std::vector<uint32_t> candidates;
  for (uint32_t value = 0; value < builder.valueCount(); ++value)
    if (isDifferentiable(builder.type(value).dtype) && (value < graph.inputs.size() || random.chance(10)))
      candidates.push_back(value);
  std::vector<uint32_t> outputs;
  for (uint32_t output : graph.outputs)
    if (isDifferentiable(builder.type(output).dtype))
      outputs.push_back(output);
  if (candidates.empty() || outputs.empty())
    return transform;
  graph.outputs = outputs;
  transform.kind = random.chance(65) ? core::TransformKind::Vjp : core::TransformKind::Jvp;
  for (uint32_t candidate : candidates)
    if (transform.wrt.empty() || random.chance(60))
      transform.wrt.push_back(candidate);
  transform.seedOnes = transform.kind == core::TransformKind::Vjp && graph.outputs.size() == 1 &&
                       builder.type(graph.outputs[0]).shape.rank() == 0;
  return transform;
}

} // namespace

RandomProgram randomProgram(Random &random) {
  RandomProgram program;
  bool differentiate = random.chance(65);
  program.nested = differentiate && random.chance(35);
  core::Graph &graph = program.nested ? program.inner : program.graph;
  Builder builder(graph, random);
  int64_t inputs = 1 + random.below(4);
  Shape shared = builder.randomShape();
  for (int64_t i = 0; i < inputs; ++i) {
    DType dtype = random.chance(differentiate ? 85 : 55) ? (random.chance(70) ? DType::F64 : DType::F32) : random.pick(kDTypes);
    builder.input({dtype, random.chance(60) ? shared : builder.randomShape()});
  }
  int64_t ops = 1 + random.below(differentiate ? 10 : 20);
  for (int64_t tries = 0; static_cast<int64_t>(graph.ops.size()) < ops && tries < 200; ++tries) {
    int64_t roll = random.below(100);
    if (roll < 60)
      builder.elementwise();
    else if (roll < 72)
      builder.reduction();
    else if (roll < 84)
      builder.movement();
    else if (roll < 92)
      builder.indexing();
    else
      builder.contraction();
  }
  if (graph.ops.empty())
    builder.add(OpKind::Neg, {builder.cast(0, DType::F64)}, {});
  core::Transform transform = finish(graph, builder, random, differentiate);
  if (program.nested && transform.kind == core::TransformKind::Forward) {
    program.graph = std::move(program.inner);
    program.nested = false;
  }
  (program.nested ? program.innerTransform : program.transform) = transform;
  return program;
}

void nest(RandomProgram &program, const std::vector<bool> &active, Random &random) {
  auto callee = std::make_shared<core::DerivedFunction>();
  callee->graph = program.inner;
  callee->transform = program.innerTransform;
  callee->active = active;
  const core::Transform &inner = callee->transform;

  core::Graph &graph = program.graph;
  graph.inputs = callee->graph.inputs;
  if (inner.kind == core::TransformKind::Vjp && !inner.seedOnes)
    for (uint32_t output : callee->graph.outputs)
      graph.inputs.push_back(callee->graph.type(output));
  if (inner.kind == core::TransformKind::Jvp)
    for (uint32_t value : inner.wrt)
      graph.inputs.push_back(callee->graph.type(value));

  GraphOp call;
  call.callee = callee;
  for (uint32_t i = 0; i < graph.inputs.size(); ++i)
    call.operands.push_back(i);
  const std::vector<uint32_t> &sources = inner.kind == core::TransformKind::Vjp ? inner.wrt : callee->graph.outputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!active[i])
      continue;
    graph.outputs.push_back(static_cast<uint32_t>(graph.inputs.size() + call.results.size()));
    call.results.push_back(callee->graph.type(sources[i]));
  }
  graph.ops.push_back(std::move(call));

  program.transform.kind = random.chance(60) ? core::TransformKind::Vjp : core::TransformKind::Jvp;
  for (uint32_t i = 0; i < graph.inputs.size(); ++i)
    if (isDifferentiable(graph.inputs[i].dtype) && (program.transform.wrt.empty() || random.chance(60)))
      program.transform.wrt.push_back(i);
}

namespace {

template <typename T> T randomFloat(Random &random) {
  using Limits = std::numeric_limits<T>;
  if (random.chance(30)) {
    switch (random.below(9)) {
    case 0: return T(0);
    case 1: return -T(0);
    case 2: return Limits::infinity();
    case 3: return -Limits::infinity();
    case 4: return Limits::quiet_NaN();
    case 5: return Limits::denorm_min() * static_cast<T>(1 + random.below(1000));
    case 6: return T(1);
    case 7: return T(-2.5);
    default: return Limits::max();
    }
  }
  double magnitude = std::exp2(static_cast<double>(random.below(24)) - 12.0);
  double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  return static_cast<T>((random.chance(50) ? -1 : 1) * magnitude * (0.5 + unit));
}

template <typename T> T randomInteger(Random &random) {
  if (random.chance(10))
    return random.chance(50) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  return static_cast<T>(random.chance(60) ? random.below(8) : random.below(2000) - 1000);
}

void writeElement(DType dtype, void *to, Random &random) {
  auto store = [to](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (dtype) {
  case DType::F64: return store(randomFloat<double>(random));
  case DType::F32: return store(randomFloat<float>(random));
  case DType::I64: return store(randomInteger<int64_t>(random));
  case DType::I32: return store(randomInteger<int32_t>(random));
  case DType::Bool: return store(static_cast<uint8_t>(random.below(2)));
  default: return store(static_cast<uint8_t>(random.bits()));
  }
}

} // namespace

Argument randomArgument(const core::ValueType &type, Random &random, bool strided) {
  Argument argument;
  size_t width = byteSize(type.dtype);
  int64_t rank = type.shape.rank();
  if (type.shape.elementCount() == 0) { // one axis alone may be long
    argument.bytes.resize(width);
    argument.view = runtime::TensorView::contiguous(argument.bytes.data(), type.dtype, type.shape);
    return argument;
  }
  // Lay the axes out in some order, with gaps; the origin moves for axes walked backwards.
  IntList order(type.shape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  if (strided)
    for (int64_t i = rank - 1; i > 0; --i)
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.below(i + 1))]);
  IntList strides(type.shape.size(), 0);
  int64_t span = strided && random.chance(30) ? 2 : 1, origin = 0;
  for (int64_t axis : order) {
    int64_t extent = type.shape[static_cast<size_t>(axis)];
    bool backwards = strided && random.chance(25);
    strides[static_cast<size_t>(axis)] = backwards ? -span : span;
    if (backwards)
      origin += span * (extent - 1);
    span *= extent;
    if (strided && random.chance(20))
      span += 3;
  }
  argument.bytes.resize(static_cast<size_t>(span) * width);
  for (int64_t i = 0; i < span; ++i)
    writeElement(type.dtype, argument.bytes.data() + static_cast<size_t>(i) * width, random);
  argument.view = runtime::TensorView(argument.bytes.data() + static_cast<size_t>(origin) * width, type.dtype, type.shape, strides);
  return argument;
}

} // namespace tenferro::test
