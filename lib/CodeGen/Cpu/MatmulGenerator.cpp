// Register tiles of the matrix product: R vectors of rows times c columns, one accumulator vector each, carried over k.
//
// The full tile is 2 x 8 on the 32 registers of x86-64-v4 and 2 x 6 on the 16 of v3: per step of k two vectors of A,
// eight or six broadcast elements of B and a multiply-add for each pair. Fewer rows use fewer vectors, the last one
// masked.
#include "lib/CodeGen/Cpu/KernelBuilder.h"
#include "lib/CodeGen/Cpu/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tenferro::compiler {

static Value multiplyAdd(KernelBuilder &builder, Type element, Value a, Value b, Value c) {
  if (isa<FloatType>(element))
    return math::FmaOp::create(builder.ops(), builder.loc(), a, b, c);
  return builder.add(c, builder.mul(a, b));
}

namespace {

/// One kernel under construction, with the arguments of runtime::MatmulKernel.
struct MatmulBuilder {
  KernelBuilder builder;
  Type element;
  unsigned lanes, columns;

  Value a() { return builder.argument(0); }
  Value aStep() { return builder.argument(1); }
  Value b() { return builder.argument(2); }
  Value bStep() { return builder.argument(3); }
  Value bColumn() { return builder.argument(4); }
  Value c() { return builder.argument(5); }
  Value cColumn() { return builder.argument(6); }
  Value rows() { return builder.argument(7); }
  Value k() { return builder.argument(8); }
  Value accumulate() { return builder.argument(9); }

  Value place(Value pointer, unsigned vector) {
    return vector ? builder.element(pointer, element, builder.i64(int64_t(vector) * lanes)) : pointer;
  }

  /// The tile of `vectors` vectors, the last one under `mask`.
  void tile(unsigned vectors, const LaneMask &mask) {
    VectorType type = builder.vectorType(element, lanes);
    auto maskOf = [&](unsigned v) { return v + 1 == vectors ? mask : LaneMask{}; };
    SmallVector<Value> columnPlaces;
    for (unsigned j = 0; j < columns; ++j)
      columnPlaces.push_back(j ? builder.advance(c(), builder.mul(cColumn(), builder.i64(j))) : c());

    SmallVector<Value> carried(vectors * columns, builder.constant(builder.ops().getZeroAttr(element), type));
    Value resume =
        arith::CmpIOp::create(builder.ops(), builder.loc(), arith::CmpIPredicate::ne, accumulate(), builder.i64(0));
    builder.when(resume, carried, [&](SmallVectorImpl<Value> &sums) {
      for (unsigned j = 0; j < columns; ++j)
        for (unsigned v = 0; v < vectors; ++v)
          sums[j * vectors + v] = builder.loadVector(type, place(columnPlaces[j], v), maskOf(v));
    });

    SmallVector<Value> offsets;
    for (unsigned j = 1; j < columns; ++j)
      offsets.push_back(builder.mul(bColumn(), builder.i64(j)));
    carried.push_back(a());
    carried.push_back(b());
    builder.loop(builder.i64(0), k(), 1, carried, [&](Value, SmallVectorImpl<Value> &sums) {
      Value bPlace = sums.pop_back_val(), aPlace = sums.pop_back_val();
      SmallVector<Value> left;
      for (unsigned v = 0; v < vectors; ++v)
        left.push_back(builder.loadVector(type, place(aPlace, v), maskOf(v)));
      for (unsigned j = 0; j < columns; ++j) {
        Value scalar = builder.load(element, j ? builder.advance(bPlace, offsets[j - 1]) : bPlace);
        Value right = builder.splat(scalar, lanes);
        for (unsigned v = 0; v < vectors; ++v)
          sums[j * vectors + v] = multiplyAdd(builder, element, left[v], right, sums[j * vectors + v]);
      }
      sums.push_back(builder.advance(aPlace, aStep()));
      sums.push_back(builder.advance(bPlace, bStep()));
    });
    for (unsigned j = 0; j < columns; ++j)
      for (unsigned v = 0; v < vectors; ++v)
        builder.storeVector(carried[j * vectors + v], place(columnPlaces[j], v), maskOf(v));
  }

  /// Chooses the tile by the number of rows, which is at most `vectors` vectors.
  void choose(unsigned vectors) {
    SmallVector<Value> none;
    OpBuilder &ops = builder.ops();
    int64_t fewer = int64_t(vectors - 1) * lanes;
    auto fitting = [&](SmallVectorImpl<Value> &) {
      Value full =
          arith::CmpIOp::create(ops, builder.loc(), arith::CmpIPredicate::eq, rows(), builder.i64(fewer + lanes));
      builder.branch(
          full, none, [&](SmallVectorImpl<Value> &) { tile(vectors, {}); },
          [&](SmallVectorImpl<Value> &) {
            tile(vectors, builder.firstLanes(builder.sub(rows(), builder.i64(fewer)), lanes));
          });
    };
    if (vectors == 1)
      return fitting(none);
    Value more = arith::CmpIOp::create(ops, builder.loc(), arith::CmpIPredicate::sgt, rows(), builder.i64(fewer));
    builder.branch(more, none, fitting, [&](SmallVectorImpl<Value> &) { choose(vectors - 1); });
  }
};

} // namespace

MatmulTile buildMatmulKernels(KernelModule &module, StringRef prefix, Type element, Location loc) {
  MLIRContext *context = module.op.getContext();
  bool wide = module.level == runtime::CpuLevel::V4;
  // Integer products take several instructions and registers each, so their tiles are small.
  unsigned vectors = 2, columns = !isa<FloatType>(element) ? 4 : wide ? 8 : 6;
  unsigned lanes = std::min(32u, (wide ? 512u : 256u) / element.getIntOrFloatBitWidth());
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
  for (unsigned c = 1; c <= columns; ++c) {
    MatmulBuilder matmul{KernelBuilder(module, (prefix + Twine(c)).str(),
                                       {ptr, i64, ptr, i64, i64, ptr, i64, i64, i64, i64}, Type(), loc),
                         element, lanes, c};
    matmul.choose(vectors);
    matmul.builder.finish({});
  }
  return {static_cast<int>(columns), static_cast<int>(vectors * lanes)};
}

} // namespace tenferro::compiler
