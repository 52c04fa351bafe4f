// The passes of lib/Transforms, each with what it does to a small example.
#ifndef TENFERRO_TRANSFORMS_PASSES
#define TENFERRO_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===- Simplification -------------------------------------------------------------------------------------------===//

def SimplifyPass : Pass<"tenferro-simplify", "::mlir::func::FuncOp"> {
  let summary = "applies exact algebra: folds that give the same bits for every input";
  let description = [{
    Runs the folders of the operations and the rules below, each exact for every input, infinities and NaN included (any
    NaN equals any NaN); the last one alone may change the sign of a zero:

    * `mul x, 1` is x, `mul x, -1` is `neg x`; `add x, -0.0` is x (`add x, +0.0` is not: -0.0 + 0.0 is +0.0); `neg (neg x)` is x;
    * `transpose` of `transpose` is one `transpose`, by the identity none, and so for reshapes and broadcasts; a sum over no
      axes is its operand;
    * `select` with equal branches is the branch; with a constant condition the chosen one;
    * a broadcast or reshape of a splat constant is a splat constant;
    * `szmul t, s` is `mul t, s` where the slope s is finite for certain: a finite constant, a select or a broadcast of
      such, a conversion of integers or booleans.

    Merged operations keep the locations of both. Dead operations disappear.

    ```mlir
    // before
    %one = tenferro.constant dense<1.0> : tensor<4xf64>
    %a = tenferro.mul %x, %one : tensor<4xf64>
    %b = tenferro.neg %a : tensor<4xf64>
    %c = tenferro.neg %b : tensor<4xf64>
    return %c
    // after
    return %x
    ```
  }];
  let options = [
    Option<"merge", "merge", "bool", /*default=*/"false",
           "Merge equal operations on the way, as tenferro-cse does. One walk does what tenferro-simplify, tenferro-cse and "
           "tenferro-simplify do in three.">
  ];
  let statistics = [Statistic<"rewrites", "rewrites", "number of operations replaced or simplified">];
}

def InlineCustomCallsPass : Pass<"tenferro-inline-custom-calls", "::mlir::ModuleOp"> {
  let summary = "puts bodies in place of calls that kept their derivative rules";
  let description = [{
    After differentiation: a `tenferro.custom_call` with a `primal` becomes its body, so that it fuses with its neighbours. Opaque
    kernels stay, without their rules. Private functions that nobody names any more go. A body that calls
    itself, directly or through others, is an error. Run `tenferro-lower-residuals` before it: a
    call whose results were kept is not computed again.

    ```mlir
    // before
    %y = tenferro.custom_call "cube" (%x) {primal = @cube, vjp = @cube_vjp} : (tensor<4xf64>) -> tensor<4xf64>
    // after
    %s = tenferro.mul %x, %x : tensor<4xf64>
    %y = tenferro.mul %s, %x : tensor<4xf64>
    ```
  }];
  let statistics = [Statistic<"inlined", "inlined", "number of calls that became their body">];
}

def CsePass : Pass<"tenferro-cse", "::mlir::func::FuncOp"> {
  let summary = "merges equal pure operations and fuses their locations";
  let description = [{
    Two operations with the same name, operands, attributes and result types compute the same; the second is replaced by
    the first, whose location becomes the fusion of both (upstream CSE keeps the first alone, and the rule that made the
    second would be lost). Operands of commutative operations are compared as a set.

    ```mlir
    // before
    %a = tenferro.exp %x : tensor<4xf64>
    %b = tenferro.exp %x : tensor<4xf64>
    %c = tenferro.mul %a, %b : tensor<4xf64>
    // after
    %a = tenferro.exp %x : tensor<4xf64>      // loc(fused[first, second])
    %c = tenferro.mul %a, %a : tensor<4xf64>
    ```
  }];
  let statistics = [Statistic<"merged", "merged", "number of operations merged into an equal one">];
}

def DeadValuesPass : Pass<"tenferro-dead-values", "::mlir::func::FuncOp"> {
  let summary = "removes operations nobody uses and marks arguments nobody reads";
  let description = [{
    Erases pure operations without uses, from the last to the first, and gives each argument without uses the attribute
    `tenferro.unused`, so that a caller need not bind it. The signature stays.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
      %a = tenferro.exp %y : tensor<4xf64>
      return %x : tensor<4xf64>
    }
    // after
    func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64> {tenferro.unused}) -> tensor<4xf64> {
      return %x : tensor<4xf64>
    }
    ```
  }];
  let statistics = [
    Statistic<"erased", "erased", "number of operations erased">,
    Statistic<"unused", "unused-arguments", "number of arguments marked as unused">
  ];
}

//===- Fusion and buffers ---------------------------------------------------------------------------------------===//

def FuseElementwisePass : Pass<"tenferro-fuse", "::mlir::func::FuncOp"> {
  let summary = "groups element-wise operations and reductions";
  let description = [{
    Plans groups (the cost model is in FusionPlan.h) and moves each of more than one operation into a `tenferro.fused`,
    with the transposes, broadcasts, iotas and splat constants it reads through. No value changes: a group is element-wise,
    and a reduction in it keeps its tree. An operation that stays alone runs on its precompiled kernel.

    ```mlir
    // before
    %0 = tenferro.mul %c, %x : tensor<3xf64>
    %1 = tenferro.mul %0, %x : tensor<3xf64>
    %2 = tenferro.sum %1 [0] : tensor<3xf64>
    // after
    %2 = tenferro.fused [3] (%c, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64> {
    ^bb0(%a: tensor<3xf64>, %b: tensor<3xf64>):
      %0 = tenferro.mul %a, %b : tensor<3xf64>
      %1 = tenferro.mul %0, %b : tensor<3xf64>
      %s = tenferro.sum %1 [0] : tensor<3xf64>
      tenferro.yield %s : tensor<f64>
    }
    ```
  }];
  let options = [
    Option<"maxWeight", "max-weight", "int64_t", "400", "most weight of a group, roughly vector instructions">,
    Option<"maxOperands", "max-operands", "int64_t", "24", "most values a group reads and writes">
  ];
  let statistics = [Statistic<"groups", "groups", "number of groups made">];
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
}

def PlanBuffersPass : Pass<"tenferro-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "writes down where each value of a program lives";
  let description = [{
    Gives every operation the attribute `tenferro.storage`, one entry per result: `result N` (a buffer the caller keeps),
    `arena OFFSET` (scratch memory of the run, reused when the value before is dead, 64-byte aligned), `constant OFFSET`,
    `view` (strides into its operand), `copy OFFSET` (a reshape of strided data: copied into the arena first) or `index` (a
    coordinate, no memory); and the function `tenferro.arena_bytes`. The code generator plans in the same way and does not
    read the attributes: they are for people and tests.

    ```mlir
    // before
    %0 = tenferro.exp %x : tensor<8xf64>
    %1 = tenferro.reshape %0 : tensor<8xf64> to tensor<2x4xf64>
    %2 = tenferro.sum %1 [0] : tensor<2x4xf64>
    return %2
    // after
    %0 = tenferro.exp %x {tenferro.storage = ["arena 0"]} : tensor<8xf64>
    %1 = tenferro.reshape %0 {tenferro.storage = ["view"]} : tensor<8xf64> to tensor<2x4xf64>
    %2 = tenferro.sum %1 [0] {tenferro.storage = ["result 0"]} : tensor<2x4xf64>
    return %2
    ```
  }];
}

#endif // TENFERRO_TRANSFORMS_PASSES
