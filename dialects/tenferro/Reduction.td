// Reductions along axes.
#ifndef TENFERRO_DIALECT_REDUCTION
#define TENFERRO_DIALECT_REDUCTION

include "dialects/tenferro/TenferroBase.td"

class Tenferro_ReductionOp<string mnemonic, list<Trait> traits> : Tenferro_InferredOp<mnemonic, traits> {
  let family = "Reduction";
  let reduction = 1;
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

def Tenferro_ProdOp : Tenferro_ReductionOp<"prod", [Tenferro_Nonlinear]> {
  let summary = "multiplies along axes, which disappear";
  let description = [{
    In the fixed order of the reduction tree; the product of nothing is 1. Integers wrap.

    Constraints: distinct ascending axes of the operand; not bool.

    Derivative: the product of the others, right where elements are zero and at every order: the tangent multiplies halves,
    never divides.

    Example:

    ```mlir
    %product = tenferro.prod %x [0] : tensor<2x3xf64>
    ```
  }];
}

def Tenferro_AnyOp : Tenferro_ReductionOp<"any", [Tenferro_NonDifferentiable]> {
  let summary = "whether any element along axes, which disappear, is true";
  let description = [{
    False of nothing.

    Constraints: distinct ascending axes of the operand; bool.

    Derivative: none (not a function of differentiable values).

    Example:

    ```mlir
    %found = tenferro.any %p [0] : tensor<2x3xi1>
    ```
  }];
}

def Tenferro_AllOp : Tenferro_ReductionOp<"all", [Tenferro_NonDifferentiable]> {
  let summary = "whether every element along axes, which disappear, is true";
  let description = [{
    True of nothing.

    Constraints: distinct ascending axes of the operand; bool.

    Derivative: none (not a function of differentiable values).

    Example:

    ```mlir
    %complete = tenferro.all %p [0] : tensor<2x3xi1>
    ```
  }];
}

class Tenferro_PositionOp<string mnemonic> : Tenferro_InferredOp<mnemonic, [Tenferro_NonDifferentiable]> {
  let family = "Reduction";
  let schema = ["axis:int"];
  let arguments = (ins Tenferro_Tensor:$operand, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `axis` $axis attr-dict `:` type($operand)";
}

def Tenferro_ArgmaxOp : Tenferro_PositionOp<"argmax"> {
  let summary = "where along an axis, which disappears, the largest element stands";
  let description = [{
    The first of equals, the first NaN if there is one; zeros of both signs are equal. The result is i64.

    Constraints: an axis of the operand with at least one element; ordered numbers.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    // tensor<2x3xf64> gives tensor<3xi64>.
    %where = tenferro.argmax %x axis 0 : tensor<2x3xf64>
    ```
  }];
}

def Tenferro_ArgminOp : Tenferro_PositionOp<"argmin"> {
  let summary = "where along an axis, which disappears, the smallest element stands";
  let description = [{
    The first of equals, the first NaN if there is one; zeros of both signs are equal. The result is i64.

    Constraints: an axis of the operand with at least one element; ordered numbers.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    // tensor<2x3xf64> gives tensor<3xi64>.
    %where = tenferro.argmin %x axis 0 : tensor<2x3xf64>
    ```
  }];
}

def Tenferro_CumsumOp : Tenferro_InferredOp<"cumsum", [Tenferro_Linear]> {
  let family = "Reduction";
  let schema = ["axis:int", "order:enum"];
  let summary = "running sums along an axis";
  let description = [{
    Each element is itself added to the sum before it, `forward` from the first element on, `reverse` from the last one
    down; the element the sum starts with stays as it is. Integers wrap.

    Constraints: an axis of the operand; not bool.

    Derivative: linear; the cotangent is summed in the other order.

    Example:

    ```mlir
    %running = tenferro.cumsum forward %x axis 0 : tensor<2x3xf64>
    ```
  }];
  let arguments = (ins Tenferro_ScanOrder:$order, Tenferro_Tensor:$operand, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$order $operand `axis` $axis attr-dict `:` type($operand)";
}

#endif // TENFERRO_DIALECT_REDUCTION
