// The passes of lib/AutoDiff, each with what it does to a small example.
#ifndef TENFERRO_AUTODIFF_PASSES
#define TENFERRO_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def FunctionOption : Option<"function", "function", "std::string", /*default=*/"",
    "name of the function; may be left out where the module has one">;
def WrtOption : ListOption<"wrt", "wrt", "unsigned", "numbers of the arguments to differentiate with respect to; all of float elements if left out">;

def FreezePass : Pass<"tenferro-freeze", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
  let summary = "separates a program from its data: captured constants become arguments";
  let description = [{
    Every constant of more than one element that is not a splat becomes a trailing argument with the attribute
    `tenferro.binding`, its number in the function's attribute `tenferro.bindings`, which holds the data. What is an
    argument already stays one. Programs that differ in such data only are equal afterwards, up to that attribute.

    ```mlir
    // before
    func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
      %c = tenferro.constant dense<[1.0, 2.0]> : tensor<2xf64>
      %y = tenferro.mul %c, %x : tensor<2xf64>
      return %y : tensor<2xf64>
    }
    // after
    func.func @f(%x: tensor<2xf64>, %c: tensor<2xf64> {tenferro.binding = 0 : i64}) -> tensor<2xf64>
        attributes {tenferro.bindings = [dense<[1.0, 2.0]> : tensor<2xf64>]} {
      %y = tenferro.mul %c, %x : tensor<2xf64>
      return %y : tensor<2xf64>
    }
    ```
  }];
  let options = [Option<"function", "function", "std::string", /*default=*/"", "name of the function; all if left out">];
  let statistics = [Statistic<"frozen", "frozen", "number of constants that became arguments">];
}

def ActivityPass : Pass<"tenferro-activity", "::mlir::ModuleOp"> {
  let summary = "marks the values a derivative has to follow";
  let description = [{
    A value is active if it depends on an active argument and reaches a result, both through differentiable operations on
    float or complex elements. The attribute `tenferro.active` marks arguments and operations.

    ```mlir
    // before, with wrt=0
    %a = tenferro.exp %x : tensor<4xf64>
    %b = tenferro.exp %y : tensor<4xf64>
    %c = tenferro.mul %a, %b : tensor<4xf64>
    // after
    %a = tenferro.exp %x {tenferro.active} : tensor<4xf64>
    %b = tenferro.exp %y : tensor<4xf64>
    %c = tenferro.mul %a, %b {tenferro.active} : tensor<4xf64>
    ```
  }];
  let options = [FunctionOption, WrtOption];
  let statistics = [Statistic<"count", "active", "number of active arguments and operations">];
}

def LinearizePass : Pass<"tenferro-linearize", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
  let summary = "splits a derivative into a primal and a linear function";
  let description = [{
    From `@f` come `@f.primal(arguments) -> (results, residuals)` and `@f.linear(residuals, tangents) -> tangents`, whose
    attribute `tenferro.linear` names the arguments it is linear in. What depends on a tangent is in the second function,
    everything else, slopes too, in the first; a value that crosses is a residual. Each operation that a rule made has a
    location that says so (`--mlir-print-debuginfo`).

    ```mlir
    // before
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %y = tenferro.exp %x : tensor<4xf64>
      return %y : tensor<4xf64>
    }
    // after
    func.func @f.primal(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
      %y = tenferro.exp %x : tensor<4xf64>
      return %y, %y : tensor<4xf64>, tensor<4xf64>
    }
    func.func @f.linear(%y: tensor<4xf64>, %dx: tensor<4xf64>) -> tensor<4xf64>
        attributes {tenferro.linear = array<i64: 1>, tenferro.primal = @f.primal} {
      %dy = tenferro.mul %y, %dx : tensor<4xf64>
      return %dy : tensor<4xf64>
    }
    ```
  }];
  let options = [FunctionOption, WrtOption];
  let statistics = [Statistic<"residuals", "residuals", "number of values that cross to the linear function">];
}

def SelectResidualsPass : Pass<"tenferro-select-residuals", "::mlir::ModuleOp"> {
  let summary = "chooses residuals by a minimal cut over bytes";
  let description = [{
    Treats each pair that `tenferro-linearize` made, before it is transposed. A value the linear function needs is kept or computed again
    by cheap operations (views, constants, comparisons, conversions) from values that are kept, whatever keeps fewer
    bytes; arguments cost nothing. The attribute `tenferro.residual` on arguments and operations gives the reason.

    ```mlir
    // before: @f.primal returns the broadcast, 8000 bytes
    func.func @f.linear(%b: tensor<1000xf64>, %dx: tensor<1000xf64>) ...
    // after: it returns the scalar, and the linear function broadcasts it
    func.func @f.linear(%s: tensor<f64> {tenferro.residual = "kept: tenferro.exp, 8 bytes"}, %dx: tensor<1000xf64>) ... {
      %b = tenferro.broadcast_in_dim %s ... {tenferro.residual = "recomputed: cheap, spares 8000 bytes"}
    ```
  }];
  let statistics = [Statistic<"bytes", "bytes", "number of bytes spared">];
}

def TransposePass : Pass<"tenferro-transpose", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
  let summary = "transposes a linear function";
  let description = [{
    `@f.linear(r, t) -> u`, linear in `t`, gives `@f.transpose(r, ct_u) -> ct_t`, linear in `ct_u`. What does not depend
    on linear arguments stays, in order, on top. A structurally absent cotangent becomes a tensor of zeros only as a result of the
    function. Transposing twice gives back the function, after simplification. Without `function`, all functions with the
    attribute `tenferro.linear` are transposed.

    ```mlir
    // before
    func.func @f.linear(%y: tensor<4xf64>, %dx: tensor<4xf64>) -> tensor<4xf64>
        attributes {tenferro.linear = array<i64: 1>} {
      %dy = tenferro.mul %y, %dx : tensor<4xf64>
      return %dy : tensor<4xf64>
    }
    // after
    func.func @f.transpose(%y: tensor<4xf64>, %ct_dy: tensor<4xf64>) -> tensor<4xf64>
        attributes {tenferro.linear = array<i64: 1>} {
      %ct_dx = tenferro.mul %y, %ct_dy : tensor<4xf64>
      return %ct_dx : tensor<4xf64>
    }
    ```
  }];
  let options = [FunctionOption,
    Option<"result", "result", "std::string", /*default=*/"", "name of the transposed function">];
  let statistics = [Statistic<"transposed", "transposed", "number of functions transposed">];
}

def JvpPass : Pass<"tenferro-jvp", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
  let summary = "forward mode: a function with the derivative along tangents";
  let description = [{
    From `@f` comes `@f_jvp(arguments, one tangent per wrt) -> (results, one tangent per active result)`. A result that is
    structurally independent of the tangents has no tangent; `tenferro.active` says which have one.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %y = tenferro.exp %x : tensor<4xf64>
      return %y : tensor<4xf64>
    }
    // after
    func.func @f_jvp(%x: tensor<4xf64>, %dx: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
      %y = tenferro.exp %x : tensor<4xf64>
      %dy = tenferro.mul %y, %dx : tensor<4xf64>
      return %y, %dy : tensor<4xf64>, tensor<4xf64>
    }
    ```
  }];
  let options = [FunctionOption, WrtOption,
    Option<"result", "result", "std::string", /*default=*/"", "name of the new function">,
    Option<"keepPrimal", "keep-primal", "bool", /*default=*/"true", "also return the results of the function">];
  let statistics = [Statistic<"tangents", "tangents", "number of results with a tangent">];
}

def VjpPass : Pass<"tenferro-vjp", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tenferro::ir::TenferroDialect"];
  let summary = "reverse mode: a function with the gradients of its results";
  let description = [{
    From `@f` comes `@f_vjp(arguments, one cotangent per result) -> (results, one gradient per active wrt)`: linearize and
    transpose in one function. An argument the results do not depend on has no gradient; `tenferro.active` says which have one.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %y = tenferro.exp %x : tensor<4xf64>
      return %y : tensor<4xf64>
    }
    // after
    func.func @f_vjp(%x: tensor<4xf64>, %ct_y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
      %y = tenferro.exp %x : tensor<4xf64>
      %ct_x = tenferro.mul %y, %ct_y : tensor<4xf64>
      return %y, %ct_x : tensor<4xf64>, tensor<4xf64>
    }
    ```

    Try it: `tenferro-opt f.mlir --tenferro-vjp="function=f wrt=0,2"`. The new function is an ordinary one:
    `--tenferro-vjp="function=f_vjp"` behind it gives second derivatives.
  }];
  let options = [FunctionOption, WrtOption,
    Option<"seedOnes", "seed-ones", "bool", /*default=*/"false", "cotangents are ones instead of arguments">,
    Option<"result", "result", "std::string", /*default=*/"", "name of the new function">,
    Option<"keepPrimal", "keep-primal", "bool", /*default=*/"true", "also return the results of the function">];
  let statistics = [Statistic<"gradients", "gradients", "number of arguments with a gradient">];
}

def LowerResidualsPass : Pass<"tenferro-lower-residuals", "::mlir::func::FuncOp"> {
  let summary = "uses values kept on the tape in place of computing them";
  let description = [{
    After differentiation and before execution lowering. The kept value replaces the residual operation and every other
    use of its producer's result, and what nobody uses then goes, with it the forward computation.

    ```mlir
    // before
    %y = tenferro.tanh %x : tensor<4xf64>
    %k = tenferro.residual %y, %saved : tensor<4xf64>
    %z = tenferro.mul %y, %k : tensor<4xf64>
    // after
    %z = tenferro.mul %saved, %saved : tensor<4xf64>
    ```
  }];
  let statistics = [Statistic<"removed", "removed", "number of operations that went">];
}

def VerifyLinearityPass : Pass<"tenferro-verify-linearity", "::mlir::func::FuncOp"> {
  let summary = "holds linear functions to their attribute";
  let description = [{
    In a function with `tenferro.linear`, an operation that consumes a value depending on a linear argument must be linear
    in exactly those operands; a bilinear one takes one such operand; a jointly linear one takes linear values or zeros in all of its
    linear operands; results are linear values or zeros. The IR is not changed.

    ```mlir
    func.func @bad(%t: tensor<4xf64>) -> tensor<4xf64> attributes {tenferro.linear = array<i64: 0>} {
      // error: 'tenferro.exp' op expects no linear operand, as it is not a linear operation, but operand 0 depends on a
      // linear argument
      %y = tenferro.exp %t : tensor<4xf64>
      return %y : tensor<4xf64>
    }
    ```
  }];
  let statistics = [Statistic<"verified", "verified", "number of linear functions that hold">];
}

#endif // TENFERRO_AUTODIFF_PASSES
