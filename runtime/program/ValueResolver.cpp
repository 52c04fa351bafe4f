// Following views down to memory.
#include "runtime/program/ValueResolver.h"

#include "runtime/core/InlineVector.h"

namespace tenferro::runtime {

/// A value that is no view.
ResolvedValue ValueResolver::resolveStored(const ProgramValue &value) const {
  uint32_t arguments = static_cast<uint32_t>(program_.arguments.size());
  switch (value.storage) {
  case StorageKind::Argument:
    return {kFirstArgumentSlot + value.index, 0,
            !copied_ || (*copied_)[value.index] ? value.type.shape.contiguousStrides()
                                                : arguments_[value.index]->strides};
  case StorageKind::Result:
    return {kFirstArgumentSlot + arguments + value.index, 0, value.type.shape.contiguousStrides()};
  case StorageKind::Constant:
    return {kConstantSlot, value.offset, value.type.shape.contiguousStrides()};
  case StorageKind::Index: {
    IntList strides(value.type.shape.size(), 0);
    if (value.index < strides.size())
      strides[value.index] = 1;
    return {kIndexSlot, 0, std::move(strides)};
  }
  case StorageKind::Arena:
  case StorageKind::View:
    break;
  }
  return {kArenaSlot, value.offset, value.type.shape.contiguousStrides()};
}

/// The view `value` of what `source` resolves to.
ResolvedValue ValueResolver::resolveView(const ProgramValue &value, const ResolvedValue &source) {
  if (value.view->reshape)
    return {source.slot, source.offset, value.type.shape.contiguousStrides()};
  // A coordinate is counted in ones, memory in elements.
  int64_t unit = source.slot == kIndexSlot ? 1 : static_cast<int64_t>(byteSize(value.type.dtype));
  ResolvedValue result = {source.slot, source.offset, IntList(value.type.shape.size(), 0)};
  if (value.type.shape.elementCount() == 0)
    return result; // its starts may lie outside
  for (size_t d = 0; d < value.type.shape.size(); ++d) {
    int64_t dim = value.view->dims[d];
    if (dim < 0)
      continue;
    result.offset += value.view->starts[d] * source.strides[dim] * unit;
    result.strides[d] = value.type.shape[d] > 1 ? value.view->steps[d] * source.strides[dim] : source.strides[dim];
    if (d < value.view->alongside.size() && value.view->alongside[d] >= 0)
      result.strides[d] += source.strides[value.view->alongside[d]];
  }
  return result;
}

ResolvedValue ValueResolver::resolve(uint32_t index) {
  // Down to memory or to a view that was resolved before, then up again: no recursion, and every view of a chain once.
  InlineVector<uint32_t, 8> chain;
  const ResolvedValue *known = nullptr;
  for (; program_.values[index].storage == StorageKind::View; index = program_.values[index].index) {
    if (auto found = views_.find(index); found != views_.end()) {
      known = &found->second;
      break;
    }
    chain.push_back(index);
  }
  ResolvedValue resolved = known ? *known : resolveStored(program_.values[index]);
  while (!chain.empty()) {
    const ProgramValue &value = program_.values[chain.back()];
    resolved = resolveView(value, resolved);
    if (program_.values[value.index].storage == StorageKind::View) // others cost as little to find again
      views_.emplace(chain.back(), resolved);
    chain.pop_back();
  }
  return resolved;
}

} // namespace tenferro::runtime
