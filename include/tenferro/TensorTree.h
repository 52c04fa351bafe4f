// Types that hold tensors: how compiled functions take and return structs, tuples, arrays and vectors of them.
#ifndef TENFERRO_TENSORTREE_H
#define TENFERRO_TENSORTREE_H

#include "tenferro/EagerTensor.h"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// A tensor tree is an EagerTensor, a std::vector, std::array, std::pair or std::tuple of tensor trees, or a type of
/// the user's for which a function `tensors` is found by argument-dependent lookup that ties its members, all of them
/// tensor trees:
///
///   struct Layer { tenferro::EagerTensor weight, bias; };
///   auto tensors(Layer &layer) { return std::tie(layer.weight, layer.bias); }
///
/// Such a type is default-made and then assigned through the tie when a function returns it; members outside of the tie
/// keep their defaults.
namespace tenferro::detail {

template <typename Type> inline constexpr bool isVector = false;
template <typename Element, typename Allocator> inline constexpr bool isVector<std::vector<Element, Allocator>> = true;

template <typename Type>
concept TupleLike = requires { std::tuple_size<Type>::value; };
template <typename Type>
concept TiesTensors = requires(Type &value) { tensors(value); };

/// Calls `visitTensor(tensor)` for every tensor and `visitVector(vector)` for every vector before its elements. Reads
/// only, unless the visitors write.
template <typename Tree, typename VisitTensor, typename VisitVector>
void visitTree(Tree &tree, VisitTensor &visitTensor, VisitVector &visitVector) {
  if constexpr (std::is_same_v<Tree, EagerTensor>) {
    visitTensor(tree);
  } else if constexpr (isVector<Tree>) {
    visitVector(tree);
    for (auto &element : tree)
      visitTree(element, visitTensor, visitVector);
  } else if constexpr (TupleLike<Tree>) {
    std::apply([&](auto &...elements) { (visitTree(elements, visitTensor, visitVector), ...); }, tree);
  } else {
    static_assert(
        TiesTensors<Tree>,
        "expects tensors, containers of them, or a type with tensors(value); a number is passed as a rank-0 tensor");
    auto members = tensors(tree);
    visitTree(members, visitTensor, visitVector);
  }
}

/// The tensors of trees, in order, where they stand, and the sizes of their vectors.
class LeafPointers {
public:
  template <typename Tree> void add(const Tree &tree) {
    auto visitTensor = [&](EagerTensor &tensor) { tensors_.push_back(&tensor); };
    auto visitVector = [&](auto &vector) { sizes_.push_back(vector.size()); };
    visitTree(const_cast<Tree &>(tree), visitTensor, visitVector); // nothing is written
  }
  std::span<const EagerTensor *const> tensors() const noexcept { return tensors_; }
  std::span<const uint64_t> sizes() const noexcept { return sizes_; }

private:
  std::vector<const EagerTensor *> tensors_;
  std::vector<uint64_t> sizes_;
};

/// Makes trees of tensors in order.
class LeafReader {
public:
  LeafReader(std::span<const EagerTensor> tensors, std::span<const uint64_t> sizes)
      : tensors_(tensors), sizes_(sizes) {}

  template <typename Tree> Tree read() {
    Tree tree{};
    auto visitTensor = [&](EagerTensor &tensor) { tensor = tensors_[tensor_++]; };
    auto visitVector = [&](auto &vector) { vector.resize(sizes_[size_++]); };
    visitTree(tree, visitTensor, visitVector);
    return tree;
  }

private:
  std::span<const EagerTensor> tensors_;
  std::span<const uint64_t> sizes_;
  size_t tensor_ = 0, size_ = 0;
};

} // namespace tenferro::detail

#endif // TENFERRO_TENSORTREE_H
