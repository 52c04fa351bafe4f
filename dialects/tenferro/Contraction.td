// Tensor contraction.
#ifndef TENFERRO_DIALECT_CONTRACTION
#define TENFERRO_DIALECT_CONTRACTION

include "dialects/tenferro/TenferroBase.td"

def Tenferro_DotGeneralOp : Tenferro_InferredOp<"dot_general", [Tenferro_Bilinear]> {
  let family = "Contraction";
  let schema = ["lhs_contracting:ints", "rhs_contracting:ints", "lhs_batch:ints", "rhs_batch:ints"];
  let summary = "sums products along paired axes, for every index of paired batch axes";
  let description = [{
    The axes of the result are the free axes of the left side, those of the right side, then the batch axes. Each element is
    one fused multiply-add chain from +0 over the contracted elements, first pair fastest; where the result has fewer than 64
    elements per batch index and the chain at least 256, it is the reduction tree over the products. A contraction of nothing
    is +0. Integers wrap.

    Constraints: equal dtypes, not bool; as many contracting and batch axes on both sides, in range and distinct, of
    pairwise equal extents.

    Derivative: bilinear; the cotangent of one side is the cotangent contracted with the other side's free axes.

    Example:

    ```mlir
    %c = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x3xf64>, tensor<3x4xf64>
    %d = tenferro.dot_general %p, %q contracting [1] x [0] batch [2] x [2] : tensor<2x3x5xf64>, tensor<3x4x5xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$lhs, Tenferro_Tensor:$rhs, DenseI64ArrayAttr:$lhs_contracting,
                       DenseI64ArrayAttr:$rhs_contracting,
                       DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>()">:$lhs_batch,
                       DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>()">:$rhs_batch);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `contracting` $lhs_contracting `x` $rhs_contracting (`batch` $lhs_batch^ `x` $rhs_batch)? attr-dict `:`
    type($lhs) `,` type($rhs)
  }];
}

#endif // TENFERRO_DIALECT_CONTRACTION
