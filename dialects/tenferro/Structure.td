// Operations that only programs hold: saved values, perturbed points, kernels.
#ifndef TENFERRO_DIALECT_STRUCTURE
#define TENFERRO_DIALECT_STRUCTURE

include "dialects/tenferro/TenferroBase.td"

def Tenferro_ResidualOp : Tenferro_ProgramOp<"residual", [
    AllTypesMatch<["value", "saved", "result"]>, Tenferro_Linear, Tenferro_ResidualInterface]> {
  let summary = "a value of which a copy was kept";
  let description = [{
    Equal to `value` by construction; `saved` holds its number. Differentiation looks through to `value`; lowering for
    execution replaces the result, and every other use of `value`, by `saved`, so that nothing is computed again.

    Constraints: equal types.

    Derivative: linear in `value`; tangent and cotangent pass through. `saved` has none.

    Example:

    ```mlir
    %y_saved = tenferro.residual %y, %kept : tensor<64xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$value, Tenferro_Tensor:$saved);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$value `,` $saved attr-dict `:` type($result)";
}

def Tenferro_PerturbOp : Tenferro_ProgramOp<"perturb", [
    AllTypesMatch<["value", "perturbation", "result"]>, Tenferro_Linear,
    DeclareOpInterfaceMethods<Tenferro_ResidualInterface, ["getKept"]>]> {
  let summary = "a value that can also be moved on its own";
  let description = [{
    The value is `value`, whatever `perturbation` holds; only derivatives see the latter. A derivative with respect to an
    intermediate value is one with respect to the perturbation.

    Constraints: equal types.

    Derivative: linear in both; the tangent is the sum of theirs.

    Example:

    ```mlir
    %h_moved = tenferro.perturb %h, %e : tensor<64xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$value, Tenferro_Tensor:$perturbation);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$value `,` $perturbation attr-dict `:` type($result)";
}

def Tenferro_RaiseIfOp : Op<Tenferro_Dialect, "raise_if", [MemoryEffects<[MemWrite]>]> {
  let summary = "reports an error of the kernel where a condition holds";
  let description = [{
    Inside the scalar body of a kernel. The kernel goes on, with whatever safe value stands beside it, and returns the
    smallest error over all elements. `error` is a case of the kernel ABI's KernelError.

    Constraints: a known error.

    Example:

    ```mlir
    tenferro.raise_if %is_zero error 1
    ```
  }];
  let arguments = (ins I1:$condition, I64Attr:$error);
  let assemblyFormat = "$condition `error` $error attr-dict";
  let hasVerifier = 1;
}

def Tenferro_KernelOp : Op<Tenferro_Dialect, "kernel", [
    NoTerminator, SingleBlock, IsolatedFromAbove]> {
  let summary = "a group of operations that runs as one kernel";
  let description = [{
    The arguments of the body are memrefs: the inputs, then the results. The body fills the latter with `linalg.generic`.

    Constraints: one memref per operand and result, of its element type and its shape reversed (the last dimension of a
    memref varies fastest); bool and u8 are i8 in memory.

    Example:

    ```mlir
    %y = tenferro.kernel "twice"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
    ^bb0(%in: memref<4xf64>, %out: memref<4xf64>):
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%in : memref<4xf64>) outs(%out : memref<4xf64>) {
      ^bb0(%a: f64, %b: f64):
        %c = arith.addf %a, %a : f64
        linalg.yield %c : f64
      }
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, Variadic<Tenferro_Tensor>:$inputs);
  let results = (outs Variadic<Tenferro_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$label `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Tenferro_FusedOp : Op<Tenferro_Dialect, "fused", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "a group of operations that will run as one loop nest";
  let description = [{
    The arguments of the body stand for the inputs. The body holds element-wise operations on tensors of the shape
    `iteration`, the views and constants they read through, and at most one reduction, at the end; `tenferro.yield` names
    the results. `tenferro-to-linalg` makes a `tenferro.kernel` of it.

    Constraints: a body argument per input, of its type; a yielded value per result, of its type and the shape
    `iteration`, or one reduction of a value of that shape.

    Example:

    ```mlir
    %y = tenferro.fused [64] (%x) : (tensor<64xf64>) -> tensor<64xf64> {
    ^bb0(%a: tensor<64xf64>):
      %0 = tenferro.mul %a, %a : tensor<64xf64>
      %1 = tenferro.tanh %0 : tensor<64xf64>
      tenferro.yield %1 : tensor<64xf64>
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$iteration, Variadic<Tenferro_Tensor>:$inputs);
  let results = (outs Variadic<Tenferro_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$iteration `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Tenferro_YieldOp : Op<Tenferro_Dialect, "yield", [Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "names the results of a fused group";
  let description = [{
    Constraints: the last operation of a `tenferro.fused`.

    Example:

    ```mlir
    %y = tenferro.fused [64] (%x) : (tensor<64xf64>) -> tensor<64xf64> {
    ^bb0(%a: tensor<64xf64>):
      %0 = tenferro.neg %a : tensor<64xf64>
      tenferro.yield %0 : tensor<64xf64>
    }
    ```
  }];
  let arguments = (ins Variadic<Tenferro_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TENFERRO_DIALECT_STRUCTURE
