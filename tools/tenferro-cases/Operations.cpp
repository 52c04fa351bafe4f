// Attributes of the oracle files to calls of session methods.
#include "tools/tenferro-cases/Operations.h"

#include <cmath>
#include <map>

namespace tenferro::cases {

namespace {

using Inputs = std::span<const EagerTensor>;
using S = EagerSession;

IntList list(const Json &json) {
  IntList values;
  for (const Json &value : json)
    values.push_back(value.get<int64_t>());
  return values;
}

Shape shape(const Json &json) { return Shape(list(json)); }
Axes axes(const Json &attributes) { return attributes.at("axes").is_null() ? Axes() : Axes(list(attributes["axes"])); }
bool keepDims(const Json &attributes) { return attributes.at("keepdims").get<bool>(); }

double number(const Json &json) {
  if (json.is_string())
    return json == "nan" ? std::nan("") : json == "inf" ? HUGE_VAL : -HUGE_VAL;
  return json.get<double>();
}

Comparison direction(const Json &attributes) {
  auto name = attributes.at("direction").get<std::string>();
  static const std::map<std::string, Comparison> kDirections = {{"eq", Comparison::Eq}, {"ne", Comparison::Ne},
                                                                {"lt", Comparison::Lt}, {"le", Comparison::Le},
                                                                {"gt", Comparison::Gt}, {"ge", Comparison::Ge}};
  auto found = kDirections.find(name);
  if (found == kDirections.end())
    raiseInvalid("compare", "direction", "expects one of eq, ne, lt, le, gt, ge, but got '" + name + "'");
  return found->second;
}

LossReduction reduction(const std::string &op, const Json &attributes) {
  auto name = attributes.at("reduction").get<std::string>();
  if (name == "none")
    return LossReduction::None;
  if (name == "sum")
    return LossReduction::Sum;
  if (name == "mean")
    return LossReduction::Mean;
  raiseInvalid(op, "reduction", "expects none, sum or mean, but got '" + name + "'");
}

/// With the last axis fastest: the reversed tensor in the reversed shape, leftmost fastest, reversed back.
EagerTensor reshape(S &s, const Json &attributes, Inputs in) {
  Shape target = shape(attributes.at("shape"));
  if (attributes.value("order", "col") == "col")
    return s.reshape(in[0], target);
  std::reverse(target.begin(), target.end());
  return s.transpose(s.reshape(s.transpose(in[0]), target));
}

EagerTensor crossEntropy(S &s, const Json &attributes, Inputs in) {
  CrossEntropyOptions options;
  options.axis = attributes.at("axis").get<int64_t>();
  options.reduction = reduction("cross_entropy", attributes);
  options.labelSmoothing = number(attributes.at("label_smoothing"));
  return s.crossEntropy(in[0], in[1], options);
}

std::optional<int64_t> optionalAxis(const Json &attributes) {
  const Json &axis = attributes.at("axis");
  return axis.is_null() ? std::nullopt : std::optional(axis.get<int64_t>());
}

EagerTensor take(S &s, const Json &attributes, Inputs in) { return s.take(in[0], in[1], optionalAxis(attributes)); }

std::vector<EagerTensor> vector(Inputs in) { return {in.begin(), in.end()}; }
int64_t integer(const Json &attributes, const char *name) { return attributes.at(name).get<int64_t>(); }

ScatterUpdate update(const std::string &op, const Json &attributes) {
  auto name = attributes.at("update").get<std::string>();
  static const std::map<std::string, ScatterUpdate> kUpdates = {
      {"add", ScatterUpdate::Add}, {"mul", ScatterUpdate::Mul}, {"max", ScatterUpdate::Max}, {"min", ScatterUpdate::Min}, {"set", ScatterUpdate::Set}};
  auto found = kUpdates.find(name);
  if (found == kUpdates.end())
    raiseInvalid(op, "update", "expects add, mul, max, min or set, but got '" + name + "'");
  return found->second;
}

/// The attribute of the repository's own cases; the handed files have indices in bounds.
IndexMode mode(const Json &attributes) {
  auto name = attributes.value("mode", "error");
  return name == "clip" ? IndexMode::Clip : name == "fill" ? IndexMode::Fill : IndexMode::Error;
}

/// Input `index` where the case brings it, else no tensor.
EagerTensor optionalInput(Inputs in, size_t index) { return index < in.size() ? in[index] : EagerTensor(); }

struct Entry {
  /// Any number of inputs, the operation says which.
  static constexpr size_t kAny = ~size_t{0};
  size_t inputs; ///< at least
  Operation apply;
  size_t mostInputs = 0; ///< where some may be left out; else 0
};

void require(const std::string &op, Inputs in, size_t least) {
  if (in.size() < least)
    throw FormatError(op + " expects at least " + std::to_string(least) + " inputs, but got " + std::to_string(in.size()));
}

template <typename Method> Entry unary(Method method) {
  return {1, [method](S &s, const Json &, Inputs in) { return (s.*method)(in[0], std::source_location::current()); }};
}
template <typename Method> Entry binary(Method method) {
  return {2, [method](S &s, const Json &, Inputs in) {
            return (s.*method)(in[0], in[1], std::source_location::current());
          }};
}
template <typename Method> Entry reduce(Method method) {
  return {1, [method](S &s, const Json &a, Inputs in) {
            return (s.*method)(in[0], axes(a), keepDims(a), std::source_location::current());
          }};
}

std::map<std::string, Entry> makeOperations() {
  std::map<std::string, Entry> table = {
      {"neg", unary(&S::neg)},        {"abs", unary(&S::abs)},          {"sign", unary(&S::sign)},
      {"exp", unary(&S::exp)},        {"expm1", unary(&S::expm1)},      {"log", unary(&S::log)},
      {"log1p", unary(&S::log1p)},    {"sqrt", unary(&S::sqrt)},        {"rsqrt", unary(&S::rsqrt)},
      {"tanh", unary(&S::tanh)},      {"sigmoid", unary(&S::sigmoid)},  {"erf", unary(&S::erf)},
      {"relu", unary(&S::relu)},      {"gelu", unary(&S::gelu)},        {"add", binary(&S::add)},
      {"sub", binary(&S::sub)},       {"mul", binary(&S::mul)},         {"div", binary(&S::div)},
      {"pow", binary(&S::pow)},       {"maximum", binary(&S::maximum)}, {"minimum", binary(&S::minimum)},
      {"matmul", binary(&S::matmul)}, {"sum", reduce(&S::sum)},         {"max", reduce(&S::max)},
      {"min", reduce(&S::min)},       {"mean", reduce(&S::mean)},       {"logsumexp", reduce(&S::logsumexp)},
      {"cbrt", unary(&S::cbrt)}, {"sin", unary(&S::sin)}, {"cos", unary(&S::cos)},
      {"tan", unary(&S::tan)}, {"asin", unary(&S::asin)}, {"acos", unary(&S::acos)},
      {"atan", unary(&S::atan)}, {"sinh", unary(&S::sinh)}, {"cosh", unary(&S::cosh)},
      {"asinh", unary(&S::asinh)}, {"acosh", unary(&S::acosh)}, {"atanh", unary(&S::atanh)},
      {"erfc", unary(&S::erfc)}, {"exp2", unary(&S::exp2)}, {"log2", unary(&S::log2)},
      {"log10", unary(&S::log10)}, {"silu", unary(&S::silu)}, {"softplus", unary(&S::softplus)},
      {"floor", unary(&S::floor)}, {"ceil", unary(&S::ceil)}, {"round", unary(&S::round)},
      {"trunc", unary(&S::trunc)}, {"logsigmoid", unary(&S::logSigmoid)}, {"gelu_tanh", unary(&S::geluTanh)},
      {"is_nan", unary(&S::isNan)}, {"is_inf", unary(&S::isInf)}, {"is_finite", unary(&S::isFinite)},
      {"atan2", binary(&S::atan2)}, {"hypot", binary(&S::hypot)}, {"logaddexp", binary(&S::logAddExp)},
      {"xlogy", binary(&S::xlogy)}, {"strong_zero_mul", binary(&S::strongZeroMul)}, {"rem", binary(&S::rem)}, {"floor_divide", binary(&S::floorDivide)},
      {"prod", reduce(&S::prod)},     {"any", reduce(&S::any)},         {"all", reduce(&S::all)},
      {"sum_squares", reduce(&S::sumSquares)},
  };
  auto add = [&](const char *name, size_t inputs, Operation apply) { table[name] = {inputs, std::move(apply)}; };
  add("compare", 2, [](S &s, const Json &a, Inputs in) { return s.compare(direction(a), in[0], in[1]); });
  add("where", 3, [](S &s, const Json &, Inputs in) { return s.where(in[0], in[1], in[2]); });
  add("clamp", 3, [](S &s, const Json &, Inputs in) { return s.clamp(in[0], in[1], in[2]); });
  add("huber", 2, [](S &s, const Json &a, Inputs in) {
    return s.huber(in[0], in[1], number(a.at("delta")), reduction("huber", a));
  });
  add("convert", 1, [](S &s, const Json &a, Inputs in) {
    return s.convert(in[0], parseDTypeName("convert", a.at("to").get<std::string>()));
  });
  add("cast", 1, [](S &s, const Json &a, Inputs in) {
    return s.cast(in[0], parseDTypeName("cast", a.at("to").get<std::string>()));
  });
  add("var", 1, [](S &s, const Json &a, Inputs in) {
    return s.var(in[0], axes(a), number(a.at("correction")), keepDims(a));
  });
  add("std", 1, [](S &s, const Json &a, Inputs in) {
    return s.stddev(in[0], axes(a), number(a.at("correction")), keepDims(a));
  });
  add("norm", 1,
      [](S &s, const Json &a, Inputs in) { return s.norm(in[0], number(a.at("p")), axes(a), keepDims(a)); });
  add("argmax", 1,
      [](S &s, const Json &a, Inputs in) { return s.argmax(in[0], optionalAxis(a), keepDims(a)); });
  add("argmin", 1,
      [](S &s, const Json &a, Inputs in) { return s.argmin(in[0], optionalAxis(a), keepDims(a)); });
  add("cumsum", 1, [](S &s, const Json &a, Inputs in) {
    return s.cumsum(in[0], a.at("axis").get<int64_t>(), a.at("reverse").get<bool>());
  });
  table["layer_norm"] = {1,
                         [](S &s, const Json &a, Inputs in) {
                           return s.layerNorm(in[0], a.at("axis").get<int64_t>(), optionalInput(in, 1),
                                              optionalInput(in, 2), number(a.at("eps")));
                         },
                         3};
  table["rms_norm"] = {1,
                       [](S &s, const Json &a, Inputs in) {
                         return s.rmsNorm(in[0], a.at("axis").get<int64_t>(), optionalInput(in, 1),
                                          number(a.at("eps")));
                       },
                       2};
  add("softmax", 1, [](S &s, const Json &a, Inputs in) { return s.softmax(in[0], a.at("axis").get<int64_t>()); });
  add("log_softmax", 1,
      [](S &s, const Json &a, Inputs in) { return s.logSoftmax(in[0], a.at("axis").get<int64_t>()); });
  add("reshape", 1, reshape);
  add("transpose", 1, [](S &s, const Json &a, Inputs in) { return s.transpose(in[0], list(a.at("perm"))); });
  add("broadcast_to", 1, [](S &s, const Json &a, Inputs in) { return s.broadcastTo(in[0], shape(a.at("shape"))); });
  add("broadcast_in_dim", 1,
      [](S &s, const Json &a, Inputs in) { return s.broadcastInDim(in[0], shape(a.at("shape")), list(a.at("dims"))); });
  add("slice", 1, [](S &s, const Json &a, Inputs in) {
    return s.slice(in[0], list(a.at("starts")), list(a.at("limits")), list(a.at("strides")));
  });
  add("pad", 1, [](S &s, const Json &a, Inputs in) {
    return s.pad(in[0], list(a.at("low")), list(a.at("high")), list(a.at("interior")));
  });
  add("concatenate", Entry::kAny, [](S &s, const Json &a, Inputs in) { return s.concatenate(vector(in), integer(a, "axis")); });
  add("stack", Entry::kAny, [](S &s, const Json &a, Inputs in) { return s.stack(vector(in), integer(a, "axis")); });
  add("split", 1, [](S &s, const Json &a, Inputs in) { return s.split(in[0], list(a.at("sizes")), integer(a, "axis")); });
  add("reverse", 1, [](S &s, const Json &a, Inputs in) { return s.reverse(in[0], Axes(list(a.at("axes")))); });
  add("tile", 1, [](S &s, const Json &a, Inputs in) { return s.tile(in[0], list(a.at("reps"))); });
  add("repeat", 1, [](S &s, const Json &a, Inputs in) { return s.repeat(in[0], integer(a, "repeats"), integer(a, "axis")); });
  add("roll", 1, [](S &s, const Json &a, Inputs in) { return s.roll(in[0], list(a.at("shifts")), list(a.at("axes"))); });
  add("squeeze", 1, [](S &s, const Json &a, Inputs in) { return s.squeeze(in[0], axes(a)); });
  add("expand_dims", 1, [](S &s, const Json &a, Inputs in) { return s.expandDims(in[0], list(a.at("axes"))); });
  add("tril", 1, [](S &s, const Json &a, Inputs in) { return s.tril(in[0], integer(a, "k")); });
  add("triu", 1, [](S &s, const Json &a, Inputs in) { return s.triu(in[0], integer(a, "k")); });
  add("diag", 1, [](S &s, const Json &a, Inputs in) { return s.diag(in[0], integer(a, "k")); });
  add("diagonal", 1, [](S &s, const Json &a, Inputs in) {
    return s.diagonal(in[0], integer(a, "offset"), integer(a, "axis1"), integer(a, "axis2"));
  });
  add("trace", 1, [](S &s, const Json &a, Inputs in) {
    return s.trace(in[0], integer(a, "offset"), integer(a, "axis1"), integer(a, "axis2"));
  });
  add("extract_diag", 1,
      [](S &s, const Json &a, Inputs in) { return s.extractDiag(in[0], integer(a, "axis_a"), integer(a, "axis_b")); });
  add("embed_diag", 1,
      [](S &s, const Json &a, Inputs in) { return s.embedDiag(in[0], integer(a, "axis_a"), integer(a, "axis_b")); });
  add("dynamic_slice", Entry::kAny, [](S &s, const Json &a, Inputs in) {
    require("dynamic_slice", in, 1);
    return s.dynamicSlice(in[0], vector(in.subspan(1)), list(a.at("sizes")), mode(a));
  });
  add("dynamic_update_slice", Entry::kAny, [](S &s, const Json &a, Inputs in) {
    require("dynamic_update_slice", in, 2);
    return s.dynamicUpdateSlice(in[0], in[1], vector(in.subspan(2)), mode(a));
  });
  add("take_along_axis", 2,
      [](S &s, const Json &a, Inputs in) { return s.takeAlongAxis(in[0], in[1], integer(a, "axis")); });
  add("scatter_along_axis", 3, [](S &s, const Json &a, Inputs in) {
    return s.scatterAlongAxis(in[0], in[1], in[2], integer(a, "axis"), update("scatter_along_axis", a));
  });
  add("gather", 2, [](S &s, const Json &a, Inputs in) {
    GatherDimensions dims{list(a.at("offset_dims")), list(a.at("collapsed_slice_dims")), list(a.at("start_index_map")),
                          integer(a, "index_vector_dim")};
    return s.gather(in[0], in[1], dims, list(a.at("slice_sizes")), mode(a));
  });
  add("scatter", 3, [](S &s, const Json &a, Inputs in) {
    ScatterDimensions dims{list(a.at("update_window_dims")), list(a.at("inserted_window_dims")),
                           list(a.at("scatter_dims_to_operand_dims")), integer(a, "index_vector_dim")};
    return s.scatter(in[0], in[1], in[2], dims, update("scatter", a), mode(a));
  });
  add("iota", 0, [](S &s, const Json &a, Inputs) {
    return s.iota(shape(a.at("shape")), a.at("axis").get<int64_t>(),
                  parseDTypeName("iota", a.at("dtype").get<std::string>()));
  });
  add("take", 2, take);
  add("scatter_add", 2, [](S &s, const Json &a, Inputs in) {
    return s.scatterAdd(in[0], in[1], integer(a, "axis"), integer(a, "extent"));
  });
  add("one_hot", 1, [](S &s, const Json &a, Inputs in) {
    return s.oneHot(in[0], a.at("depth").get<int64_t>(), a.at("axis").get<int64_t>(),
                    parseDTypeName("one_hot", a.at("dtype").get<std::string>()));
  });
  add("dot_general", 2, [](S &s, const Json &a, Inputs in) {
    return s.dotGeneral(in[0], in[1],
                        {list(a.at("lhs_contracting")), list(a.at("rhs_contracting")), list(a.at("lhs_batch")),
                         list(a.at("rhs_batch"))});
  });
  add("mse", 2, [](S &s, const Json &a, Inputs in) { return s.meanSquaredError(in[0], in[1], reduction("mse", a)); });
  add("cross_entropy", 2, crossEntropy);
  return table;
}

} // namespace

const Operation &findOperation(const std::string &op) {
  // Wrapped once, so that a line with too few inputs is a format error and not a read beyond the end.
  static const std::map<std::string, Operation> kOperations = [] {
    std::map<std::string, Operation> checked;
    for (auto &[name, entry] : makeOperations())
      checked[name] = [entry = entry, name = name](S &s, const Json &attributes, Inputs in) {
        size_t most = std::max(entry.inputs, entry.mostInputs);
        if (entry.inputs != Entry::kAny && (in.size() < entry.inputs || in.size() > most))
          throw FormatError(name + " expects " + std::to_string(entry.inputs) +
                            (most > entry.inputs ? " to " + std::to_string(most) : "") + " inputs, but got " +
                            std::to_string(in.size()));
        return entry.apply(s, attributes, in);
      };
    checked["program"] = [](S &s, const Json &attributes, Inputs in) {
      if (attributes.contains("steps"))
        return runSteps(s, attributes, in);
      return findProgram(attributes.at("name").get<std::string>())(s, attributes, in);
    };
    return checked;
  }();
  auto found = kOperations.find(op);
  if (found == kOperations.end())
    throw UnsupportedError("op " + op);
  return found->second;
}

} // namespace tenferro::cases
