// Tensors from nothing.
#ifndef TENFERRO_DIALECT_CREATION
#define TENFERRO_DIALECT_CREATION

include "dialects/tenferro/TenferroBase.td"

def Tenferro_ConstantOp : Tenferro_ProgramOp<"constant", [
    ConstantLike, AllTypesMatch<["value", "result"]>, Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let summary = "a tensor whose elements are written in the program";
  let description = [{
    Constraints: a dense attribute of the result's type.

    Derivative: none (constant).

    Example:

    ```mlir
    %half = tenferro.constant dense<5.0e-01> : tensor<4xf64>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tenferro_IotaOp : Tenferro_Op<"iota", [Tenferro_Elementwise, Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Creation";
  let schema = ["axis:int", "shape:result_shape", "dtype:result_dtype"];
  let summary = "the coordinate of every element along one axis";
  let description = [{
    Integers that do not hold a coordinate wrap; floats round.

    Constraints: an axis of the result; not bool.

    Derivative: none (constant).

    Example:

    ```mlir
    %column = tenferro.iota axis 1 : tensor<2x3xf64>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($result)";
}

#endif // TENFERRO_DIALECT_CREATION
