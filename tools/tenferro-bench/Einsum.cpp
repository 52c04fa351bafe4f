// einsum: contractions of two to hundreds of tensors along the path of a file, pair by pair, each pair one dotGeneral.
#include "tools/tenferro-bench/Benches.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace tenferro::bench {

namespace {

using Labels = std::u32string;
using Json = nlohmann::json;

/// The code points of UTF-8 text: files of big networks name labels beyond ASCII.
Labels codePoints(const std::string &text) {
  Labels points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t point = more == 0 ? lead : lead & (0x3F >> more);
    for (int k = 0; k < more && i < text.size(); ++k)
      point = point << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
    points += point;
  }
  return points;
}

/// One step of a path: the tensors at two positions of the list become one at its end.
struct Step {
  size_t first, second;
  IntList looseFirst, looseSecond; ///< axes nobody needs, summed before
  DotDimensions dims;
};

struct Contraction {
  std::vector<Shape> shapes;
  std::vector<Step> steps;
  IntList order; ///< of the last tensor's axes in the result
};

bool has(const Labels &labels, char32_t label) { return labels.find(label) != Labels::npos; }

/// Removes the labels of `x` that neither `other` nor `needed` has, and returns where they were.
IntList dropLoose(Labels &x, const Labels &other, const Labels &needed) {
  IntList loose;
  Labels kept;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    if (has(other, x[axis]) || has(needed, x[axis]))
      kept += x[axis];
    else
      loose.push_back(static_cast<int64_t>(axis));
  }
  x = kept;
  return loose;
}

/// The axes of a pair's result: free ones of the first, of the second, then shared ones that are still needed.
Labels pair(Step &step, Labels a, Labels b, const Labels &needed) {
  step.looseFirst = dropLoose(a, b, needed);
  step.looseSecond = dropLoose(b, a, needed);
  Labels result, batch;
  for (size_t axis = 0; axis < a.size(); ++axis) {
    const size_t there = b.find(a[axis]);
    if (there == Labels::npos) {
      result += a[axis];
      continue;
    }
    const bool stays = has(needed, a[axis]);
    (stays ? step.dims.lhsBatch : step.dims.lhsContracting).push_back(static_cast<int64_t>(axis));
    (stays ? step.dims.rhsBatch : step.dims.rhsContracting).push_back(static_cast<int64_t>(there));
    if (stays)
      batch += a[axis];
  }
  for (char32_t label : b)
    if (!has(a, label))
      result += label;
  return result + batch;
}

Contraction plan(const Json &file) {
  Contraction contraction;
  const Labels format = codePoints(file.at("format_string_colmajor").get<std::string>());
  const size_t arrow = format.find(U"->");
  const Labels result = format.substr(arrow + 2);
  std::vector<Labels> list(1);
  for (char32_t point : format.substr(0, arrow)) {
    if (point == U',')
      list.emplace_back();
    else
      list.back() += point;
  }
  for (const Json &extents : file.at("shapes_colmajor")) {
    Shape shape;
    for (int64_t extent : extents)
      shape.push_back(extent);
    contraction.shapes.push_back(shape);
  }
  for (const Json &positions : file.at("paths").at("opt_flops").at("path")) {
    if (positions.size() != 2)
      throw std::runtime_error("expects a path of pairs");
    Step step{positions[0], positions[1], {}, {}, {}};
    const Labels a = list[step.first], b = list[step.second];
    for (size_t position : {std::max(step.first, step.second), std::min(step.first, step.second)})
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
    Labels needed = result;
    for (const Labels &labels : list)
      needed += labels;
    list.push_back(pair(step, a, b, needed));
    contraction.steps.push_back(std::move(step));
  }
  for (char32_t label : result)
    contraction.order.push_back(static_cast<int64_t>(list[0].find(label)));
  return contraction;
}

EagerTensor contract(EagerSession &s, const Contraction &contraction, std::vector<EagerTensor> list) {
  for (const Step &step : contraction.steps) {
    EagerTensor a = list[step.first], b = list[step.second];
    for (size_t position : {std::max(step.first, step.second), std::min(step.first, step.second)})
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
    if (!step.looseFirst.empty())
      a = s.sum(a, step.looseFirst);
    if (!step.looseSecond.empty())
      b = s.sum(b, step.looseSecond);
    list.push_back(s.dotGeneral(a, b, step.dims));
  }
  return s.transpose(list[0], contraction.order);
}

/// Elements of a size that keeps a product of many tensors finite: each tensor of norm about 1.
Tensor scaled(const Shape &shape, bool many, uint64_t seed) {
  std::vector<double> values = random(shape, DType::F64, seed).toVector<double>();
  double squares = 0;
  for (double &value : values) {
    value += 0.5;
    squares += value * value;
  }
  if (many)
    for (double &value : values)
      value /= std::sqrt(std::sqrt(squares));
  return Tensor::from(shape, values);
}

} // namespace

void einsum(Reporter &reporter) {
  const std::string &data = reporter.options().data;
  if (data.empty())
    return;
  if (!std::filesystem::is_directory(data + "/einsum"))
    throw std::runtime_error("cannot read " + data + "/einsum");
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(data + "/einsum"))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  for (const std::filesystem::path &path : files) {
    const std::string name = path.stem();
    if (!reporter.wanted("einsum", name))
      continue;
    const Json file = readData(path.string());
    const double largest = file.at("paths").at("opt_flops").at("log2_size");
    if (largest > 28) { // an intermediate result of more than 2 GiB
      reporter.error("einsum", name, "needs more than 8 GiB");
      continue;
    }
    const Contraction contraction = plan(file);
    std::vector<EagerTensor> tensors;
    for (const Shape &shape : contraction.shapes)
      tensors.push_back(runtime->constant(scaled(shape, contraction.shapes.size() > 8, tensors.size())));
    runtime->session(engine, [&](EagerSession &s) {
      reporter.measureLong("einsum", name, [&] {
        double start = now();
        EagerTensor result = contract(s, contraction, tensors);
        // A path may end in a view; the peers' results are in memory of their own order too.
        return now() - start;
      });
    });
  }
}

} // namespace tenferro::bench
