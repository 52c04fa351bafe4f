// The matrix product driver: dot_general as a batch of strided matrices, then blocks, slivers and register tiles.
//
//   for each K block            C continues from what the block before stored
//     for each block of rows    A packed into slivers of the tile's rows, unless it can be read in place
//       for each tile column    B is read in place: one scalar per column and k
//         for each sliver       the register tile
//
// Rows are the vectorised side: they must be consecutive in A and C. Matrices of few elements have a driver of their
// own.
#include "runtime/launch/LaunchMatmul.h"

#include "runtime/core/Failures.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/LaunchReduce.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/launch/TinyProducts.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/SpreadBuffers.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tenferro::runtime {

namespace {

constexpr int64_t kBlockKBytes = 2048;         ///< of k in a block, in bytes of one column of B
constexpr int64_t kBlockABytes = 384 << 10;    ///< of a packed block of A: stays in L2
constexpr int64_t kInPlaceRowBytes = 2048;     ///< longest column of A that is read without packing
constexpr int64_t kProductTime = 2;            ///< picoseconds of a multiplication, by bytes of an element
constexpr int64_t kWorthSplitting = 3'000'000; ///< picoseconds of products that are worth a parallel region ...
constexpr int64_t kByteTime = 40;              ///< ... beyond these for a byte of the operands, to bring it to another core,
constexpr int64_t kNearBytes = 1 << 20;        ///< while one core's cache holds them all
constexpr int64_t kTreeMaxOutputs = 64;        ///< fewer outputs ...
constexpr int64_t kTreeMinTerms = 256;         ///< ... of at least as many terms: the reduction tree

/// A matrix of a batch; strides in bytes.
struct Matrix {
  char *data;
  int64_t row, column;
};

/// The dimensions of an operand in groups; merged where one stride walks a whole group.
struct Group {
  int64_t extent = 1, stride = 0;
  bool single = true;
};

Group makeGroup(const TensorView &view, const IntList &dims, int64_t bytes) {
  Group group;
  bool first = true;
  for (int64_t d : dims) {
    int64_t extent = view.shape[d], stride = view.strides[d] * bytes;
    if (extent != 1) {
      if (first)
        group.stride = stride;
      else
        group.single &= stride == group.stride * group.extent;
      first = false;
    }
    group.extent *= extent;
  }
  if (first)
    group.stride = bytes;
  return group;
}

IntList freeDims(const TensorView &view, const IntList &a, const IntList &b) {
  IntList dims;
  for (int64_t d = 0; d < view.shape.rank(); ++d)
    if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end())
      dims.push_back(d);
  return dims;
}

class Product {
public:
  Product(const Tier0Kernel &tiles, int64_t k, int64_t bytes) : tiles_(tiles), k_(k), bytes_(bytes) {}

  /// C[rowBegin.., columnBegin..] of one pair of matrices. `a.row` may be anything; `c.row` is one element.
  /// `scratch` has `scratchBytes` if rows are packed.
  void run(Matrix a, Matrix b, Matrix c, int64_t rowBegin, int64_t rowEnd, int64_t columnBegin, int64_t columnEnd,
           char *scratch) const {
    int64_t tileRows = tiles_.rows;
    bool inPlace = readsInPlace(a, columnEnd - columnBegin);
    const int64_t kBlock = termsOfBlock(), rowBlock = rowsOfBlock(rowEnd - rowBegin);
    for (int64_t kBegin = 0; kBegin < k_; kBegin += kBlock) {
      int64_t terms = std::min(kBlock, k_ - kBegin);
      for (int64_t row = rowBegin; row < rowEnd; row += rowBlock) {
        int64_t rows = std::min(rowBlock, rowEnd - row);
        Matrix block = {a.data + row * a.row + kBegin * a.column, a.row, a.column};
        int64_t sliverBytes = tileRows * bytes_, step = a.column;
        if (!inPlace) {
          pack(block, rows, terms, scratch);
          block.data = scratch;
          sliverBytes = tileRows * terms * bytes_;
          step = tileRows * bytes_;
        }
        for (int64_t column = columnBegin; column < columnEnd;) {
          int64_t columns = std::min<int64_t>(tiles_.columns, columnEnd - column);
          auto tile = reinterpret_cast<MatmulKernel>(tiles_.variants[columns - 1]);
          const char *bAt = b.data + kBegin * b.row + column * b.column;
          char *cAt = c.data + row * c.row + column * c.column;
          const char *aAt = block.data;
          for (int64_t r = 0; r < rows; r += tileRows) {
            tile(aAt, step, bAt, b.row, b.column, cAt, c.column, std::min(tileRows, rows - r), terms, kBegin > 0);
            aAt += sliverBytes;
            cAt += tileRows * bytes_;
          }
          column += columns;
        }
      }
    }
  }

  /// Whether the rows of A for so many columns are not packed.
  bool readsInPlace(const Matrix &a, int64_t columns) const {
    return a.row == bytes_ && (std::llabs(a.column) <= kInPlaceRowBytes || columns <= 4);
  }

  /// For the packed rows of a block, of so many rows in all; whole cache lines.
  size_t scratchBytes(int64_t rows) const {
    return static_cast<size_t>(rowsOfBlock(rows) * std::min(termsOfBlock(), k_) * bytes_ + 63) & ~size_t{63};
  }

private:
  int64_t termsOfBlock() const { return std::max<int64_t>(kBlockKBytes / bytes_, 1); }
  int64_t rowsOfBlock(int64_t rows) const {
    const int64_t tileRows = tiles_.rows;
    const int64_t most = std::max(tileRows, kBlockABytes / (termsOfBlock() * bytes_) / tileRows * tileRows);
    return std::min(most, (rows + tileRows - 1) / tileRows * tileRows);
  }

  /// Slivers of the tile's rows, each with its rows consecutive for every k.
  void pack(Matrix a, int64_t rows, int64_t terms, char *out) const {
    int64_t tileRows = tiles_.rows, step = tileRows * bytes_;
    for (int64_t r = 0; r < rows; r += tileRows, out += step * terms) {
      const char *from = a.data + r * a.row;
      int64_t count = std::min(tileRows, rows - r);
      copyBlock(from, a.row, a.column, out, bytes_, step, count, terms, bytes_);
    }
  }

  const Tier0Kernel &tiles_;
  int64_t k_, bytes_;
};

[[noreturn]] void raiseMissing(DType dtype) {
  raise(makeFailure(ErrorKind::Unsupported, "dot_general",
                    "expects a dtype with matrix product kernels, but got " + std::string(name(dtype))));
}

} // namespace

void runMatmul(const DotDimensions &dot, const TensorView &lhs, const TensorView &rhs, const TensorView &out,
               const LaunchContext &context) {
  int64_t bytes = static_cast<int64_t>(byteSize(out.dtype));
  const IntList lhsFree = freeDims(lhs, dot.lhsContracting, dot.lhsBatch);
  const IntList rhsFree = freeDims(rhs, dot.rhsContracting, dot.rhsBatch);

  // Operands as (rows, k, batch...) and (k, columns, batch...); a group that no single stride walks is copied first.
  TensorView a = lhs, b = rhs;
  BufferRef aCopy, bCopy;
  Group aRows = makeGroup(a, lhsFree, bytes), aTerms = makeGroup(a, dot.lhsContracting, bytes);
  Group bTerms = makeGroup(b, dot.rhsContracting, bytes), bColumns = makeGroup(b, rhsFree, bytes);
  const int64_t m = aRows.extent, n = bColumns.extent, k = aTerms.extent;
  IntList aBatch = dot.lhsBatch, bBatch = dot.rhsBatch;
  int64_t batches = 1;
  for (int64_t d : dot.lhsBatch)
    batches *= lhs.shape[d];
  if (m * n * batches == 0)
    return;
  if (k == 0) {
    std::memset(out.data, 0, static_cast<size_t>(m * n * batches * bytes));
    return;
  }
  auto copyGroups = [&](TensorView &view, BufferRef &copy, const IntList &first, const IntList &second, IntList &batch,
                        Group &firstGroup, Group &secondGroup) {
    IntList order = first;
    for (int64_t d : second)
      order.push_back(d);
    for (int64_t d : batch)
      order.push_back(d);
    TensorView source = view.transposed(order);
    copy = BufferRef::allocate(static_cast<size_t>(view.elementCount() * bytes));
    view = TensorView::contiguous(copy.data(), view.dtype, source.shape);
    runCopy(source, view, context);
    for (size_t i = 0; i < batch.size(); ++i)
      batch[i] = static_cast<int64_t>(first.size() + second.size() + i);
    firstGroup.stride = bytes;
    secondGroup.stride = bytes * firstGroup.extent;
  };
  if (!aRows.single || !aTerms.single)
    copyGroups(a, aCopy, lhsFree, dot.lhsContracting, aBatch, aRows, aTerms);
  if (!bTerms.single || !bColumns.single)
    copyGroups(b, bCopy, dot.rhsContracting, rhsFree, bBatch, bTerms, bColumns);

  if (TinyProducts::fits(out.dtype, m, n, k)) {
    TinyProducts products{out.dtype, m, n, k, aRows.stride / bytes, aTerms.stride / bytes, bTerms.stride / bytes,
                          bColumns.stride / bytes, {}, a.data, b.data, out.data};
    for (size_t i = 0; i < aBatch.size(); ++i)
      products.batch.push_back({a.shape[aBatch[i]], a.strides[aBatch[i]], b.strides[bBatch[i]]});
    return products.run(context);
  }

  // Byte offsets of batch element i in both operands.
  auto batchOffset = [&](int64_t index, int64_t &aOffset, int64_t &bOffset) {
    aOffset = bOffset = 0;
    for (size_t i = 0; i < aBatch.size(); ++i) {
      int64_t extent = a.shape[aBatch[i]], position = index % extent;
      index /= extent;
      aOffset += position * a.strides[aBatch[i]] * bytes;
      bOffset += position * b.strides[bBatch[i]] * bytes;
    }
  };
  auto *aData = static_cast<char *>(a.data), *bData = static_cast<char *>(b.data),
       *cData = static_cast<char *>(out.data);
  const int64_t time = m * n * k * batches * kProductTime * bytes;
  bool parallel = context.threads > 1 && m * n * batches >= 2 && time >= kWorthSplitting;
  if (parallel) {
    int64_t whole = 0, near = 0; // bytes of the operands, and of those that one core may hold
    auto add = [&](const void *data, int64_t elements) {
      whole += elements * batches * bytes;
      near += SpreadBuffers::have(data) ? 0 : elements * batches * bytes;
    };
    add(a.data, m * k);
    add(b.data, k * n);
    add(out.data, m * n);
    parallel = whole >= kNearBytes || time >= kWorthSplitting + near * kByteTime;
    SpreadBuffers::note(out.data, parallel);
  }

  if (m * n < kTreeMaxOutputs && k >= kTreeMinTerms) {
    const Tier0Kernel *products = context.kernels->dot(out.dtype), *sum = context.kernels->sum(out.dtype);
    if (!products || !sum)
      raiseMissing(out.dtype);
    static constexpr Access access[2] = {Access::Unit, Access::Unit};
    ReduceFunction function;
    function.row = reinterpret_cast<ReduceKernel>(products->variants[0]);
    function.column = reinterpret_cast<ReduceKernel>(products->variants[1]);
    function.access = access;
    function.combine = {&sum, 1};
    // Each column of the result is a reduction over (k, rows), with B repeated along the rows.
    auto column = [&](int64_t task, const LaunchContext &inner) {
      int64_t aOffset, bOffset, j = task % n;
      batchOffset(task / n, aOffset, bOffset);
      Shape shape{k, m}, kept{m};
      TensorView aView(aData + aOffset, a.dtype, shape, {aTerms.stride / bytes, aRows.stride / bytes});
      TensorView bView(bData + bOffset + j * bColumns.stride, b.dtype, shape, {bTerms.stride / bytes, 0});
      TensorView cView(cData + (task / n * n + j) * m * bytes, out.dtype, kept, {1});
      const TensorView *operands[3] = {&aView, &bView, &cView};
      runReduce(function, IntList{0}, operands, inner);
    };
    LaunchContext serial = context;
    serial.threads = 1;
    if (parallel && n * batches > 1)
      parallelFor(context.threads, n * batches, time, [&](int64_t task) { column(task, serial); });
    else
      for (int64_t task = 0; task < n * batches; ++task)
        column(task, context);
    return;
  }

  const Tier0Kernel *tiles = context.kernels->matmul(out.dtype);
  if (!tiles)
    raiseMissing(out.dtype);

  // C^T = B^T A^T has the same chains. It is better where C has one row and B's are consecutive, or one column and A
  // would have to be packed.
  int64_t rows = m, columns = n;
  Matrix left = {aData, aRows.stride, aTerms.stride}, right = {bData, bTerms.stride, bColumns.stride};
  Matrix result = {cData, bytes, m * bytes};
  bool swapped = (m == 1 && n > 1 && bColumns.stride == bytes) || (n == 1 && m > 1 && aRows.stride != bytes);
  if (swapped) {
    std::swap(rows, columns);
    std::swap(left.data, right.data);
    left.row = bColumns.stride;
    left.column = bTerms.stride;
    right.row = aTerms.stride;
    right.column = aRows.stride;
    // One of the sides is 1, so that both C and C^T are consecutive.
    result.row = bytes;
    result.column = rows * bytes;
  }
  Product product(*tiles, k, bytes);
  auto matrices = [&](int64_t batch, Matrix &l, Matrix &r, Matrix &c) {
    int64_t aOffset, bOffset;
    batchOffset(batch, aOffset, bOffset);
    l = {left.data + (swapped ? bOffset : aOffset), left.row, left.column};
    r = {right.data + (swapped ? aOffset : bOffset), right.row, right.column};
    c = {result.data + batch * m * n * bytes, result.row, result.column};
  };
  if (!parallel) {
    BufferRef scratch;
    if (!product.readsInPlace(left, columns))
      scratch = BufferRef::allocate(product.scratchBytes(rows));
    for (int64_t batch = 0; batch < batches; ++batch) {
      Matrix l, r, c;
      matrices(batch, l, r, c);
      product.run(l, r, c, 0, rows, 0, columns, static_cast<char *>(scratch.data()));
    }
    return;
  }
  // Tasks are rectangles of C. A task that packs A takes all columns: packed rows serve every one of them. So it does
  // where they are few. Otherwise it takes all rows, so that threads find their part of C side by side.
  const int64_t tileColumns = tiles->columns, tileRows = tiles->rows;
  const int64_t columnTiles = (columns + tileColumns - 1) / tileColumns, rowTiles = (rows + tileRows - 1) / tileRows;
  const int64_t wanted = (2 * int64_t{context.threads} + batches - 1) / batches;
  int64_t columnParts = std::min(wanted, columnTiles), rowParts = std::min((wanted + columnParts - 1) / columnParts, rowTiles);
  if ((columnTiles < wanted || !product.readsInPlace(left, columns)) && rowTiles >= wanted) {
    rowParts = wanted;
    columnParts = 1;
  }
  auto cut = [](int64_t extent, int64_t tile, int64_t part, int64_t parts) {
    int64_t tilesInAll = (extent + tile - 1) / tile;
    return std::min(extent, tilesInAll * part / parts * tile);
  };
  const int64_t tasks = batches * columnParts * rowParts;
  // A few tasks have their scratch memory in one block: each thread finds its part where it has packed before, and no
  // tensor will come to lie where another thread has.
  const int64_t mostColumns = std::min(columns, (columnTiles + columnParts - 1) / columnParts * tileColumns);
  size_t scratchBytes = 0;
  if (!product.readsInPlace(left, mostColumns))
    scratchBytes = product.scratchBytes((rowTiles + rowParts - 1) / rowParts * tileRows);
  const bool isShared = tasks <= 4 * int64_t{context.threads};
  BufferRef shared;
  if (isShared && scratchBytes)
    shared = BufferRef::allocate(static_cast<size_t>(tasks) * scratchBytes);
  parallelFor(context.threads, tasks, time, [&](int64_t task) {
    int64_t columnPart = task % columnParts, rowPart = task / columnParts % rowParts;
    Matrix l, r, c;
    matrices(task / (columnParts * rowParts), l, r, c);
    BufferRef own;
    if (!isShared && scratchBytes)
      own = BufferRef::allocate(scratchBytes);
    char *scratch = isShared ? static_cast<char *>(shared.data()) + static_cast<size_t>(task) * scratchBytes
                             : static_cast<char *>(own.data());
    product.run(l, r, c, cut(rows, tileRows, rowPart, rowParts), cut(rows, tileRows, rowPart + 1, rowParts),
                cut(columns, tileColumns, columnPart, columnParts),
                cut(columns, tileColumns, columnPart + 1, columnParts), scratch);
  });
}

} // namespace tenferro::runtime
