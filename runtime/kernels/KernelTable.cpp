// The indices over a level's kernels.
#include "runtime/kernels/KernelTable.h"

#include <algorithm>
#include <array>

namespace tenferro::runtime {

namespace {

/// A name's mnemonic and its one or two further parts.
struct Parts {
  std::string_view mnemonic, first, second;
};

Parts split(std::string_view name) {
  size_t dot = name.find('.');
  if (dot == std::string_view::npos)
    return {name, {}, {}};
  Parts parts = {name.substr(0, dot), name.substr(dot + 1), {}};
  dot = parts.first.find('.');
  if (dot != std::string_view::npos) {
    parts.second = parts.first.substr(dot + 1);
    parts.first = parts.first.substr(0, dot);
  }
  return parts;
}

} // namespace

KernelTable::KernelTable(std::span<const Tier0Kernel> kernels)
    : kernels_(kernels), byOperation_(static_cast<size_t>(core::kOpKindCount) * kDTypeCount * kAux, nullptr) {
  auto put = [this](std::string_view mnemonic, DType dtype, uint32_t aux, const Tier0Kernel *kernel) {
    if (const core::OpSchema *op = core::findSchema(mnemonic))
      byOperation_[(static_cast<size_t>(op->kind) * kDTypeCount + static_cast<size_t>(dtype)) * kAux + aux] = kernel;
  };
  static constexpr std::array<std::string_view, 6> directions = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (const Tier0Kernel &kernel : kernels) {
    Parts parts = split(kernel.name);
    DType dtype, second;
    if (parts.mnemonic == "compare") {
      auto direction = std::find(directions.begin(), directions.end(), parts.first);
      if (direction != directions.end() && parseDType(parts.second, dtype))
        put("compare", dtype, static_cast<uint32_t>(direction - directions.begin()), &kernel);
      continue;
    }
    if (!parseDType(parts.first, dtype))
      continue;
    size_t index = static_cast<size_t>(dtype);
    if (!parts.second.empty()) {
      if (!parseDType(parts.second, second))
        continue;
      put(parts.mnemonic, dtype, static_cast<uint32_t>(second), &kernel);
      if (parts.mnemonic == "cast")
        put("convert", dtype, static_cast<uint32_t>(second), &kernel);
    } else if (parts.mnemonic == "matmul") {
      put("dot_general", dtype, 0, &kernel);
      matmul_[index] = &kernel;
    } else if (parts.mnemonic == "dot") {
      put("dot_general", dtype, 1, &kernel);
      dot_[index] = &kernel;
    } else {
      put(parts.mnemonic, dtype, 0, &kernel);
      if (parts.mnemonic == "add")
        add_[index] = &kernel;
      else if (parts.mnemonic == "sum")
        sum_[index] = &kernel;
    }
  }
}

const Tier0Kernel *KernelTable::find(std::string_view name) const noexcept {
  auto it = std::lower_bound(kernels_.begin(), kernels_.end(), name,
                             [](const Tier0Kernel &kernel, std::string_view key) { return kernel.name < key; });
  return it != kernels_.end() && it->name == name ? &*it : nullptr;
}

} // namespace tenferro::runtime
