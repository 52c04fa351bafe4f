// Element-wise functions of floats.
#ifndef TENFERRO_DIALECT_TRANSCENDENTAL
#define TENFERRO_DIALECT_TRANSCENDENTAL

include "dialects/tenferro/TenferroBase.td"

// A function of one float; `scalar` is the operation of the math dialect that means it.
class Tenferro_MathOp<string mnemonic, string scalar> : Tenferro_UnaryOp<mnemonic, [Tenferro_Nonlinear]> {
  let family = "Transcendental";
  let shapeRule = "inferFloatUnary";
  let extraClassDefinition = namesResults # infersResults # !if(!empty(scalar), "", [{
    ::mlir::Value $cppClass::buildScalar(::mlir::OpBuilder &builder, ::mlir::ValueRange operands) {
      return ::mlir::math::}] # scalar # [{::create(builder, getLoc(), operands[0]);
    }
  }]);
}

def Tenferro_ExpOp : Tenferro_MathOp<"exp", "ExpOp"> {
  let summary = "e to the power of every element";
  let description = [{
    exp(-inf) is 0, exp(inf) is inf.

    Constraints: a float.

    Derivative: slope exp(x), with a strong zero: it overflows at finite operands.

    Example:

    ```mlir
    %y = tenferro.exp %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_LogOp : Tenferro_MathOp<"log", "LogOp"> {
  let summary = "natural logarithm of every element";
  let description = [{
    log(0) is -inf for both zeros, NaN below zero.

    Constraints: a float.

    Derivative: slope 1 / x, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.log %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_Log1pOp : Tenferro_MathOp<"log1p", "Log1pOp"> {
  let summary = "log(1 + x) of every element, accurate near zero";
  let description = [{
    -inf at -1, NaN below; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / (1 + x), with a strong zero.

    Example:

    ```mlir
    %y = tenferro.log1p %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_Expm1Op : Tenferro_MathOp<"expm1", "ExpM1Op"> {
  let summary = "exp(x) - 1 of every element, accurate near zero";
  let description = [{
    -1 at -inf; zeros keep their sign.

    Constraints: a float.

    Derivative: slope exp(x), which unlike the result plus 1 is accurate far left, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.expm1 %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_SqrtOp : Tenferro_MathOp<"sqrt", "SqrtOp"> {
  let summary = "square root of every element";
  let description = [{
    Correctly rounded; NaN below zero; -0 stays -0.

    Constraints: a float.

    Derivative: slope 0.5 / sqrt(x), +inf at 0, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.sqrt %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_RsqrtOp : Tenferro_MathOp<"rsqrt", "RsqrtOp"> {
  let summary = "1 / sqrt(x) of every element";
  let description = [{
    inf at 0, 0 at inf, NaN below zero.

    Constraints: a float.

    Derivative: slope -0.5 * rsqrt(x) / x, -inf at 0, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.rsqrt %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_TanhOp : Tenferro_MathOp<"tanh", "TanhOp"> {
  let summary = "hyperbolic tangent of every element";
  let description = [{
    Zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 - y * y where |x| < 1, and 4 e / (1 + e)^2 with e = exp(-2 |x|) in the tails, where the former
    would lose every digit.

    Example:

    ```mlir
    %y = tenferro.tanh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_ErfOp : Tenferro_MathOp<"erf", "ErfOp"> {
  let summary = "error function of every element";
  let description = [{
    Odd; -1 and 1 at the infinities.

    Constraints: a float.

    Derivative: slope 2 / sqrt(pi) * exp(-x * x).

    Example:

    ```mlir
    %y = tenferro.erf %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_SigmoidOp : Tenferro_MathOp<"sigmoid", ""> {
  let summary = "1 / (1 + exp(-x)) of every element";
  let description = [{
    Computed from exp(-|x|), so it neither overflows nor loses the far left.

    Constraints: a float.

    Derivative: slope sigmoid(x) * sigmoid(-x), accurate in both tails.

    Example:

    ```mlir
    %y = tenferro.sigmoid %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_SinOp : Tenferro_MathOp<"sin", "SinOp"> {
  let summary = "sine of every element, in radians";
  let description = [{
    Reduced exactly, also for huge arguments; NaN at the infinities; zeros keep their sign.

    Constraints: a float.

    Derivative: slope cos(x).

    Example:

    ```mlir
    %y = tenferro.sin %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_CosOp : Tenferro_MathOp<"cos", "CosOp"> {
  let summary = "cosine of every element, in radians";
  let description = [{
    Reduced exactly, also for huge arguments; NaN at the infinities.

    Constraints: a float.

    Derivative: slope -sin(x).

    Example:

    ```mlir
    %y = tenferro.cos %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_TanOp : Tenferro_MathOp<"tan", "TanOp"> {
  let summary = "tangent of every element, in radians";
  let description = [{
    Reduced exactly, also for huge arguments; NaN at the infinities; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 + y * y.

    Example:

    ```mlir
    %y = tenferro.tan %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AsinOp : Tenferro_MathOp<"asin", "AsinOp"> {
  let summary = "arc sine of every element";
  let description = [{
    NaN outside [-1, 1]; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / sqrt((1 - x) (1 + x)), accurate next to -1 and 1 and infinite there, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.asin %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AcosOp : Tenferro_MathOp<"acos", "AcosOp"> {
  let summary = "arc cosine of every element";
  let description = [{
    In [0, pi]; NaN outside [-1, 1].

    Constraints: a float.

    Derivative: slope -1 / sqrt((1 - x) (1 + x)), accurate next to -1 and 1 and infinite there, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.acos %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AtanOp : Tenferro_MathOp<"atan", "AtanOp"> {
  let summary = "arc tangent of every element";
  let description = [{
    -pi/2 and pi/2 at the infinities; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / h / h with h = hypot(1, x), which does not overflow.

    Example:

    ```mlir
    %y = tenferro.atan %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_SinhOp : Tenferro_MathOp<"sinh", "SinhOp"> {
  let summary = "hyperbolic sine of every element";
  let description = [{
    Overflows where the result does, not before; zeros keep their sign.

    Constraints: a float.

    Derivative: slope cosh(x), with a strong zero: it overflows at finite operands.

    Example:

    ```mlir
    %y = tenferro.sinh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_CoshOp : Tenferro_MathOp<"cosh", "CoshOp"> {
  let summary = "hyperbolic cosine of every element";
  let description = [{
    Overflows where the result does, not before.

    Constraints: a float.

    Derivative: slope sinh(x), with a strong zero: it overflows at finite operands.

    Example:

    ```mlir
    %y = tenferro.cosh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AsinhOp : Tenferro_MathOp<"asinh", "AsinhOp"> {
  let summary = "inverse hyperbolic sine of every element";
  let description = [{
    Zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / hypot(1, x), which does not overflow.

    Example:

    ```mlir
    %y = tenferro.asinh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AcoshOp : Tenferro_MathOp<"acosh", "AcoshOp"> {
  let summary = "inverse hyperbolic cosine of every element";
  let description = [{
    0 at 1, NaN below.

    Constraints: a float.

    Derivative: slope 1 / sqrt(x - 1) / sqrt(x + 1), infinite at 1, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.acosh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_AtanhOp : Tenferro_MathOp<"atanh", "AtanhOp"> {
  let summary = "inverse hyperbolic tangent of every element";
  let description = [{
    -inf and inf at -1 and 1, NaN outside; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / ((1 - x) (1 + x)), with a strong zero.

    Example:

    ```mlir
    %y = tenferro.atanh %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_Exp2Op : Tenferro_MathOp<"exp2", "Exp2Op"> {
  let summary = "2 to the power of every element";
  let description = [{
    Exact for integers.

    Constraints: a float.

    Derivative: slope 2 ln(2) exp2(x - 1), which is finite where the result just overflowed, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.exp2 %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_Log2Op : Tenferro_MathOp<"log2", "Log2Op"> {
  let summary = "logarithm to base 2 of every element";
  let description = [{
    Exact for powers of 2; -inf for both zeros, NaN below zero.

    Constraints: a float.

    Derivative: slope 1 / ln(2) / x, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.log2 %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_Log10Op : Tenferro_MathOp<"log10", "Log10Op"> {
  let summary = "logarithm to base 10 of every element";
  let description = [{
    Exact for powers of 10; -inf for both zeros, NaN below zero.

    Constraints: a float.

    Derivative: slope 1 / ln(10) / x, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.log10 %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_CbrtOp : Tenferro_MathOp<"cbrt", "CbrtOp"> {
  let shapeRule = "inferRealFloatUnary";
  let summary = "cube root of every element";
  let description = [{
    Of negative numbers too; zeros keep their sign.

    Constraints: a float.

    Derivative: slope 1 / (3 y * y), +inf at 0, with a strong zero.

    Example:

    ```mlir
    %y = tenferro.cbrt %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_ErfcOp : Tenferro_MathOp<"erfc", "ErfcOp"> {
  let shapeRule = "inferRealFloatUnary";
  let summary = "1 - erf(x) of every element, accurate far right";
  let description = [{
    2 and 0 at the infinities.

    Constraints: a float.

    Derivative: slope -2 / sqrt(pi) * exp(-x * x).

    Example:

    ```mlir
    %y = tenferro.erfc %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_SiluOp : Tenferro_MathOp<"silu", ""> {
  let shapeRule = "inferRealFloatUnary";
  let summary = "x / (1 + exp(-x)) of every element";
  let description = [{
    The product is rounded after the quotient, so the far left is accurate down to the subnormal numbers. 0 at -inf.

    Constraints: a float.

    Derivative: slope sigmoid(x) + y * sigmoid(-x), accurate in both tails.

    Example:

    ```mlir
    %y = tenferro.silu %x : tensor<4xf64>
    ```
  }];
}

// A function of two real floats.
class Tenferro_RealBinaryOp<string mnemonic, list<Trait> traits = []>
    : Tenferro_BinaryOp<mnemonic, !listconcat([Tenferro_Nonlinear], traits)> {
  let family = "Transcendental";
  let shapeRule = "inferRealFloatBinary";
}

def Tenferro_Atan2Op : Tenferro_RealBinaryOp<"atan2"> {
  let summary = "angle of the point (b, a) for every pair of elements a, b";
  let description = [{
    atan2(a, b) in [-pi, pi], zero and infinite operands as in C.

    Constraints: equal shapes and dtypes, real floats.

    Derivative: slopes b / h / h and -a / h / h with h = hypot(a, b), 0 where h is 0 or infinite, with strong zeros.

    Example:

    ```mlir
    %angle = tenferro.atan2 %y, %x : tensor<4xf64>
    ```
  }];
}

def Tenferro_HypotOp : Tenferro_RealBinaryOp<"hypot", [Commutative]> {
  let commutative = 1;
  let summary = "sqrt(a * a + b * b) for every pair of elements";
  let description = [{
    Neither overflows nor underflows inside; inf if an operand is infinite, even beside NaN.

    Constraints: equal shapes and dtypes, real floats.

    Derivative: slopes a / h and b / h; 0 at the origin, the sign of an infinite operand.

    Example:

    ```mlir
    %h = tenferro.hypot %a, %b : tensor<4xf64>
    ```
  }];
}

def Tenferro_LogaddexpOp : Tenferro_RealBinaryOp<"logaddexp", [Commutative]> {
  let commutative = 1;
  let summary = "log(exp(a) + exp(b)) for every pair of elements";
  let description = [{
    max(a, b) + log1p(exp(-abs(a - b))), so it neither overflows nor loses the smaller one; -inf if both are.

    Constraints: equal shapes and dtypes, real floats.

    Derivative: slopes sigmoid(a - b) and sigmoid(b - a), accurate in both tails at every order; shared evenly where both are inf, 0 where both
    are -inf.

    Example:

    ```mlir
    %l = tenferro.logaddexp %a, %b : tensor<4xf64>
    ```
  }];
}

def Tenferro_XlogyOp : Tenferro_RealBinaryOp<"xlogy"> {
  let summary = "a * log(b) for every pair of elements, 0 where a is 0";
  let description = [{
    0 where a is 0 whatever b is, but NaN where b is NaN.

    Constraints: equal shapes and dtypes, real floats.

    Derivative: slopes log(b) with a strong zero, and a / b, which is 0 where both are 0.

    Example:

    ```mlir
    %e = tenferro.xlogy %p, %q : tensor<4xf64>
    ```
  }];
}

#endif // TENFERRO_DIALECT_TRANSCENDENTAL
