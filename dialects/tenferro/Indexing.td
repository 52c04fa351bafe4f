// Reading and writing by index.
#ifndef TENFERRO_DIALECT_INDEXING
#define TENFERRO_DIALECT_INDEXING

include "dialects/tenferro/TenferroBase.td"

def Tenferro_TakeOp : Tenferro_InferredOp<"take", [Tenferro_Linear]> {
  let family = "Indexing";
  let schema = ["axis:int"];
  let summary = "picks slices along one axis by index";
  let description = [{
    The axes of the indices replace `axis`. A negative index counts from the end; one out of range is an error at
    execution.

    Constraints: an axis of the operand; integer indices.

    Derivative: linear in the operand; the cotangent is scattered and added.

    Example:

    ```mlir
    // tensor<5x3xf64> by tensor<2xi64> gives tensor<2x3xf64>.
    %rows = tenferro.take %x[%i] axis 0 : tensor<5x3xf64>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$indices, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `[` $indices `]` `axis` $axis attr-dict `:` type($operand) `,` type($indices)";
}

def Tenferro_ScatterAddOp : Tenferro_InferredOp<"scatter_add", [Tenferro_Linear]> {
  let family = "Indexing";
  let schema = ["axis:int", "extent:int"];
  let summary = "adds slices into zeros along one axis by index";
  let description = [{
    The transpose of `take`: the updates' axes from `axis` that belong to the indices become one axis of `extent`. Updates of
    one target add in ascending order, first axis fastest. A negative index counts from the end; one out of range is an
    error at execution.

    Constraints: integer indices; updates of numbers with the axes of the indices at `axis`; an extent of at least 0.

    Derivative: linear in the updates; the cotangent is taken at the indices.

    Example:

    ```mlir
    // tensor<2x3xf64> at tensor<2xi64> gives tensor<5x3xf64>.
    %x = tenferro.scatter_add %updates at %i axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$indices, Tenferro_Tensor:$updates, I64Attr:$axis, I64Attr:$extent);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $updates `at` $indices `axis` $axis `extent` $extent attr-dict `:` type($updates) `,` type($indices)
  }];
}

def Tenferro_OneHotOp : Tenferro_Op<"one_hot", [Tenferro_Elementwise, Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Indexing";
  let schema = ["depth:int", "axis:int", "dtype:result_dtype"];
  let summary = "one where the coordinate along a new axis is the index, zero elsewhere";
  let description = [{
    An index outside [0, depth), a negative one included, gives a row of zeros.

    Constraints: integer indices, a depth of at least 0, an axis of the result.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %rows = tenferro.one_hot %labels depth 10 axis 1 : tensor<4xi64> to tensor<4x10xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$indices, I64Attr:$depth, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$indices `depth` $depth `axis` $axis attr-dict `:` type($indices) `to` type($result)";
}

#endif // TENFERRO_DIALECT_INDEXING
