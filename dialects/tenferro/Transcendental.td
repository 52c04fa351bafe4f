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

#endif // TENFERRO_DIALECT_TRANSCENDENTAL
