// Element-wise arithmetic.
#ifndef TENFERRO_DIALECT_ARITHMETIC
#define TENFERRO_DIALECT_ARITHMETIC

include "dialects/tenferro/TenferroBase.td"

def Tenferro_AddOp : Tenferro_BinaryOp<"add", [Commutative, Tenferro_Linear]> {
  let family = "Arithmetic";
  let shapeRule = "inferLogicBinary";
  let commutative = 1;
  let summary = "adds two tensors element by element";
  let description = [{
    Floats round once; integers wrap; booleans: logical or.

    Constraints: equal shapes and dtypes.

    Derivative: linear in both operands; each gets the cotangent.

    Example:

    ```mlir
    %sum = tenferro.add %a, %b : tensor<2x3xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_SubOp : Tenferro_BinaryOp<"sub", [Tenferro_Linear]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberBinary";
  let summary = "subtracts the second tensor from the first element by element";
  let description = [{
    Floats round once; integers wrap.

    Constraints: equal shapes and dtypes, not bool.

    Derivative: linear in both operands; the second gets the negated cotangent.

    Example:

    ```mlir
    %difference = tenferro.sub %a, %b : tensor<2x3xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_MulOp : Tenferro_BinaryOp<"mul", [Commutative, Tenferro_Bilinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferLogicBinary";
  let commutative = 1;
  let summary = "multiplies two tensors element by element";
  let description = [{
    Floats round once; integers wrap; booleans: logical and.

    Constraints: equal shapes and dtypes.

    Derivative: bilinear; the cotangent of one operand is the cotangent times the other.

    Example:

    ```mlir
    %product = tenferro.mul %a, %b : tensor<2x3xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_DivOp : Tenferro_BinaryOp<"div", [Tenferro_Linear, DeclareOpInterfaceMethods<Tenferro_NonlinearInterface, ["nonlinearOperands"]>]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberBinary";
  let summary = "divides the first tensor by the second element by element";
  let description = [{
    Floats follow IEEE 754. Integers truncate toward zero; the least integer divided by -1 wraps to itself; division by zero
    is an error at execution.

    Constraints: equal shapes and dtypes, not bool.

    Derivative: linear in the first operand, whose tangent is multiplied by the slope 1 / b with a strong zero, so that a
    zero tangent stays zero where b is zero; nonlinear in the second with slope -(a / b) / b, also with a strong zero.

    Example:

    ```mlir
    %quotient = tenferro.div %a, %b : tensor<2x3xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_NegOp : Tenferro_UnaryOp<"neg", [Tenferro_Linear]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberUnary";
  let summary = "negates every element";
  let description = [{
    Flips the sign of floats, zeros and NaN included; integers wrap.

    Constraints: not bool.

    Derivative: linear; the cotangent is negated.

    Example:

    ```mlir
    %minus = tenferro.neg %x : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_AbsOp : Tenferro_UnaryOp<"abs", [Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberUnary";
  let summary = "absolute value of every element";
  let description = [{
    Of an integer the least value wraps to itself.

    Constraints: not bool.

    Derivative: slope sign(x), so 0 at both zeros and NaN at NaN.

    Example:

    ```mlir
    %magnitude = tenferro.abs %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_SignOp : Tenferro_UnaryOp<"sign", [Tenferro_NonDifferentiable]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberUnary";
  let summary = "-1, 0 or 1 by the sign of every element";
  let description = [{
    Zeros keep their sign and NaN stays NaN. Unsigned: 0 or 1.

    Constraints: not bool.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %sign = tenferro.sign %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_PowOp : Tenferro_BinaryOp<"pow", [Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferNumberBinary";
  let summary = "the first tensor raised to the second element by element";
  let description = [{
    Floats follow C's pow: x^0 and 1^y are 1 even for NaN. Integers multiply with wrapping; a negative exponent is an error
    at execution; 0^0 is 1.

    Constraints: equal shapes and dtypes, not bool.

    Derivative: base slope y * x^(y-1), which is 0 where y is 0; exponent slope x^y * log(x), which is 0 where x is 0
    and y is not negative. Strong zeros, so an exponent without a tangent never meets log(0) or the log of a negative base.

    Example:

    ```mlir
    %cube = tenferro.pow %x, %three : tensor<4xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_MaximumOp : Tenferro_BinaryOp<"maximum", [Commutative, Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferRealBinary";
  let commutative = 1;
  let summary = "the larger of two tensors element by element";
  let description = [{
    NaN if either is NaN; -0 is below +0.

    Constraints: equal shapes and dtypes, ordered numbers.

    Derivative: goes to the operand equal to the result, half to each where both are; nothing where the result is NaN.

    Example:

    ```mlir
    %larger = tenferro.maximum %a, %b : tensor<4xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_MinimumOp : Tenferro_BinaryOp<"minimum", [Commutative, Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferRealBinary";
  let commutative = 1;
  let summary = "the smaller of two tensors element by element";
  let description = [{
    NaN if either is NaN; -0 is below +0.

    Constraints: equal shapes and dtypes, ordered numbers.

    Derivative: goes to the operand equal to the result, half to each where both are; nothing where the result is NaN.

    Example:

    ```mlir
    %smaller = tenferro.minimum %a, %b : tensor<4xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_SzmulOp : Tenferro_BinaryOp<"szmul", [Tenferro_Bilinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferFloatBinary";
  let summary = "product of a slope and a tangent that is zero where the tangent is";
  let description = [{
    `szmul(s, t)` is +0 where t is zero, even for an infinite or NaN s, and s * t elsewhere. Derivative rules whose slope can
    be infinite or NaN at a finite operand multiply with it, so that an untaken branch or an unused lane contributes zero.

    Constraints: equal shapes and dtypes, floats.

    Derivative: bilinear, the zero test stays with the derivative: cotangents szmul(ct, t) for s and szmul(s, ct) for t.

    Example:

    ```mlir
    %dy = tenferro.szmul %slope, %dx : tensor<4xf64>
    ```
  }];
  let hasFolder = 1;
}

// To an integer: piecewise constant.
class Tenferro_StepOp<string mnemonic> : Tenferro_UnaryOp<mnemonic, [Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Arithmetic";
  let shapeRule = "inferRealFloatUnary";
  let hasFolder = 1;
}

def Tenferro_FloorOp : Tenferro_StepOp<"floor"> {
  let summary = "the largest integer not above every element";
  let description = [{
    Zeros keep their sign; what is large enough is an integer already. Infinities and NaN are themselves.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %y = tenferro.floor %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_CeilOp : Tenferro_StepOp<"ceil"> {
  let summary = "the smallest integer not below every element";
  let description = [{
    Zeros keep their sign, and -0 comes of what is above -1. Infinities and NaN are themselves.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %y = tenferro.ceil %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_RoundOp : Tenferro_StepOp<"round"> {
  let summary = "the integer nearest to every element, halves to the even one";
  let description = [{
    Zeros keep their sign, and -0 comes of negative elements. Infinities and NaN are themselves.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %y = tenferro.round %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_TruncOp : Tenferro_StepOp<"trunc"> {
  let summary = "every element without its fraction";
  let description = [{
    Zeros keep their sign, and -0 comes of what is above -1. Infinities and NaN are themselves.

    Constraints: a real float.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %y = tenferro.trunc %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_RemOp : Tenferro_BinaryOp<"rem", [Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let shapeRule = "inferRealBinary";
  let summary = "remainder of the first tensor by the second element by element, with the sign of the first";
  let description = [{
    Floats: C's fmod, exact however large the quotient is; NaN where the divisor is zero or the dividend infinite. Integers:
    what truncating division leaves; division by zero is an error at execution.

    Constraints: equal shapes and dtypes, ordered numbers.

    Derivative: 1 in the first operand; -trunc(a / b) in the second, with a strong zero.

    Example:

    ```mlir
    %rest = tenferro.rem %a, %b : tensor<4xf64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_FloorDivideOp : Tenferro_BinaryOp<"floor_divide", [Tenferro_NonDifferentiable]> {
  let family = "Arithmetic";
  let shapeRule = "inferRealBinary";
  let summary = "quotient of two tensors rounded down element by element";
  let description = [{
    Floats: the integer below the exact quotient, found by the remainder and not by rounding a / b; a / b where the divisor is
    zero, NaN where the dividend is infinite. Integers round down too, the least one divided by -1 wraps to itself, and division
    by zero is an error at execution.

    Constraints: equal shapes and dtypes, ordered numbers.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %quotient = tenferro.floor_divide %a, %b : tensor<4xi64>
    ```
  }];
  let hasFolder = 1;
}

def Tenferro_ClampOp : Tenferro_InferredOp<"clamp", [Tenferro_Elementwise, Tenferro_Nonlinear]> {
  let family = "Arithmetic";
  let elementwise = 1;
  let summary = "every element brought between two bounds";
  let description = [{
    min(max(x, lower), upper), so `upper` where the bounds are the wrong way round; NaN if any of the three is.

    Constraints: equal shapes and dtypes, ordered numbers.

    Derivative: to x where lower < x < upper, to `lower` where x < lower < upper, to `upper` where upper < x; to none on a bound
    and at NaN.

    Example:

    ```mlir
    %y = tenferro.clamp %x, %lower, %upper : tensor<4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$lower, Tenferro_Tensor:$upper);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $lower `,` $upper attr-dict `:` custom<EqualTypes>(type($operand), type($lower), type($upper))
  }];
  let hasFolder = 1;
}

#endif // TENFERRO_DIALECT_ARITHMETIC
