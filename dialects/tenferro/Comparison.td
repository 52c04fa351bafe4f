// Comparisons, selection and conversion of element types.
#ifndef TENFERRO_DIALECT_COMPARISON
#define TENFERRO_DIALECT_COMPARISON

include "dialects/tenferro/TenferroBase.td"

def Tenferro_CompareOp : Tenferro_InferredOp<"compare", [Tenferro_Elementwise, Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Comparison";
  let schema = ["direction:enum"];
  let elementwise = 1;
  let summary = "compares two tensors element by element";
  let description = [{
    The result is bool. A comparison with NaN is false, except `ne`, which is true. Zeros of both signs are equal; u8 is
    unsigned; false is below true.

    Constraints: equal shapes and dtypes; `lt`, `le`, `gt` and `ge` need ordered values.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %below = tenferro.compare lt, %a, %b : tensor<4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Direction:$direction, Tenferro_Tensor:$lhs, Tenferro_Tensor:$rhs);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$direction `,` $lhs `,` $rhs attr-dict `:` custom<EqualTypes>(type($lhs), type($rhs))";
  let hasFolder = 1;
}

def Tenferro_SelectOp : Tenferro_InferredOp<"select", [Tenferro_Elementwise, Tenferro_Linear]> {
  let family = "Comparison";
  let elementwise = 1;
  let summary = "takes each element from the first branch where the predicate holds, else from the second";
  let description = [{
    Constraints: a bool predicate of the branches' shape; branches of equal shape and dtype.

    Derivative: linear in the branches; the branch not taken gets zero.

    Example:

    ```mlir
    %chosen = tenferro.select %p, %a, %b : tensor<4xi1>, tensor<4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$predicate, Tenferro_Tensor:$onTrue, Tenferro_Tensor:$onFalse);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $predicate `,` $onTrue `,` $onFalse attr-dict `:` type($predicate) `,` custom<EqualTypes>(type($onTrue), type($onFalse))
  }];
  let hasFolder = 1;
}

// The result's dtype is in its type.
class Tenferro_ConversionOp<string mnemonic> : Tenferro_Op<mnemonic, [Tenferro_Elementwise, Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Comparison";
  let schema = ["dtype:result_dtype"];
  let elementwise = 1;
  let arguments = (ins Tenferro_Tensor:$operand);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Tenferro_ConvertOp : Tenferro_ConversionOp<"convert"> {
  let summary = "converts every element to a dtype that holds all its values";
  let description = [{
    bool becomes 0 or 1.

    Constraints: no value of the operand's dtype may be lost (`cast` allows that).

    Derivative: linear between floats, the cotangent is cast back; none from or to integers and bool.

    Example:

    ```mlir
    %wide = tenferro.convert %x : tensor<4xf32> to tensor<4xf64>
    ```
  }];
}

def Tenferro_CastOp : Tenferro_ConversionOp<"cast"> {
  let summary = "converts every element to another dtype, rounding or saturating";
  let description = [{
    Floats round to nearest even. To an integer: truncates toward zero and saturates, NaN gives 0; integers saturate too.
    To bool: whether the element is not zero (NaN is not). From bool: 0 or 1.

    Derivative: linear between floats, the cotangent is cast back; none from or to integers and bool.

    Example:

    ```mlir
    %index = tenferro.cast %x : tensor<4xf64> to tensor<4xi64>
    ```
  }];
}

// A question about one float, answered by a bool.
class Tenferro_TestOp<string mnemonic>
    : Tenferro_UnaryOp<mnemonic, [Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Comparison";
  let shapeRule = "inferFloatTest";
  let hasFolder = 1;
}

def Tenferro_IsNanOp : Tenferro_TestOp<"is_nan"> {
  let summary = "whether every element is NaN";
  let description = [{
    The result is bool.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %answer = tenferro.is_nan %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_IsInfOp : Tenferro_TestOp<"is_inf"> {
  let summary = "whether every element is an infinity";
  let description = [{
    The result is bool; both infinities count.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %answer = tenferro.is_inf %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_IsFiniteOp : Tenferro_TestOp<"is_finite"> {
  let summary = "whether every element is neither infinite nor NaN";
  let description = [{
    The result is bool.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %answer = tenferro.is_finite %x : tensor<4xf64>
    ```
  }];
}

#endif // TENFERRO_DIALECT_COMPARISON
