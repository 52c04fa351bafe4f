// Reductions along axes.
#ifndef TENFERRO_DIALECT_REDUCTION
#define TENFERRO_DIALECT_REDUCTION

include "dialects/tenferro/TenferroBase.td"

class Tenferro_ReductionOp<string mnemonic, list<Trait> traits> : Tenferro_InferredOp<mnemonic, traits> {
  let family = "Reduction";
  let schema = ["axes:ints"];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand $axes attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Tenferro_SumOp : Tenferro_ReductionOp<"sum", [Tenferro_Linear]> {
  let summary = "sums along axes, which disappear";
  let description = [{
    In the fixed order of the reduction tree; the sum of nothing is +0. Integers wrap.

    Constraints: distinct ascending axes of the operand; not bool.

    Derivative: linear; the cotangent is broadcast along the axes.

    Example:

    ```mlir
    // tensor<2x3xf64> becomes tensor<3xf64>.
    %total = tenferro.sum %x [0] : tensor<2x3xf64>
    ```
  }];
}

def Tenferro_MaxOp : Tenferro_ReductionOp<"max", [Tenferro_Nonlinear]> {
  let summary = "largest element along axes, which disappear";
  let description = [{
    NaN if any element is NaN; -0 is below +0.

    Constraints: distinct ascending axes of the operand, at least one element along them; ordered numbers.

    Derivative: shared evenly among the elements equal to the result; nothing where the result is NaN.

    Example:

    ```mlir
    %largest = tenferro.max %x [0] : tensor<2x3xf64>
    ```
  }];
}

def Tenferro_MinOp : Tenferro_ReductionOp<"min", [Tenferro_Nonlinear]> {
  let summary = "smallest element along axes, which disappear";
  let description = [{
    NaN if any element is NaN; -0 is below +0.

    Constraints: distinct ascending axes of the operand, at least one element along them; ordered numbers.

    Derivative: shared evenly among the elements equal to the result; nothing where the result is NaN.

    Example:

    ```mlir
    %smallest = tenferro.min %x [0] : tensor<2x3xf64>
    ```
  }];
}

#endif // TENFERRO_DIALECT_REDUCTION
