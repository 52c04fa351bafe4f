// The pass that expands math functions.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_PASSES
#define TENFERRO_CONVERSION_EXPANDMATH_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"tenferro-expand-math"> {
  let summary = "expands math functions into arithmetic";
  let description = [{
    Replaces `math.exp`, `expm1`, `exp2`, `log`, `log1p`, `log2`, `log10`, `powf`, `rsqrt`, `cbrt`, `erf`, `erfc`, `sin`,
    `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sinh`, `cosh`, `tanh`, `asinh`, `acosh` and `atanh` on f32, f64 and
    vectors of them by straight-line code over `arith`, `math.fma` and the math ops that are one instruction. The code
    is the same for every vector width, so a scalar, a vector lane and a masked tail get the same bits, and nothing
    calls libm. An operand of another type is an error. Run it before any canonicalization, which folds math ops with
    the host's libm.

    Before:

    ```mlir
    %y = math.rsqrt %x : vector<8xf32>
    ```

    After:

    ```mlir
    %s = math.sqrt %x : vector<8xf32>
    %d = arith.divf %one, %s : vector<8xf32>
    ... // one step of refinement with math.fma
    %y = arith.select %finite, %refined, %d : vector<8xi1>, vector<8xf32>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of math ops expanded">];
}

#endif // TENFERRO_CONVERSION_EXPANDMATH_PASSES
