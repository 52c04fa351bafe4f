// Operations that users bring: functions with derivative rules of their own, and kernels of extension families.
#ifndef TENFERRO_DIALECT_EXTENSION
#define TENFERRO_DIALECT_EXTENSION

include "mlir/IR/SymbolInterfaces.td"
include "dialects/tenferro/TenferroBase.td"

def Tenferro_CustomCallOp : Tenferro_ProgramOp<"custom_call", [
    Tenferro_Linear, DeclareOpInterfaceMethods<Tenferro_NonlinearInterface, ["nonlinearOperands"]>,
    DeclareOpInterfaceMethods<Tenferro_UserRuleInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a function with derivative rules of its own";
  let description = [{
    Operands are `inputs` inputs (all operands if absent), then `captures` values that the function itself captured, then
    values that only its rules captured. The bodies are functions of the module, each with these arguments and results:

    * `primal`: inputs and captures -> results. Absent: an opaque kernel of the family `name`, which is pure.
    * `jvp`: operands, results, a tangent per float input -> a tangent per float result; linear in the tangents.
    * `vjp`: operands, results, a cotangent per float result -> a cotangent per float input.
    * `transpose`: operands that are not linear inputs, a cotangent per float result -> a cotangent per linear input. `linear`
      says which inputs the call is linear in, jointly.

    It stays one operation until everything has been differentiated; `tenferro-inline-custom-calls` then puts the primal in
    its place.

    Constraints:
    * (C1) there are at least `inputs` + `captures` operands, and a result.
    * (C2) a body is a function of the module whose type is that of its role.
    * (C3) `linear` has a flag per input where there is a `transpose`, set for floats only; else it is empty.

    Derivative: by the roles. A `vjp` becomes a `tenferro.linear_call`, else a `jvp` is inlined; linear inputs need neither.
    Without any, or by a captured value, there is none: an error that names the call, the role and the order.

    Example:

    ```mlir
    %y = tenferro.custom_call "lab.smooth.v1" (%x) {version = 3 : i64} : (tensor<4xf64>) -> tensor<4xf64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Tenferro_Tensor>:$values, DefaultValuedAttr<I64Attr, "0">:$version,
                       OptionalAttr<I64Attr>:$inputs, DefaultValuedAttr<I64Attr, "0">:$captures,
                       DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$linear,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$parameters,
                       OptionalAttr<FlatSymbolRefAttr>:$primal, OptionalAttr<FlatSymbolRefAttr>:$jvp,
                       OptionalAttr<FlatSymbolRefAttr>:$vjp, OptionalAttr<FlatSymbolRefAttr>:$transpose);
  let results = (outs Variadic<Tenferro_Tensor>:$outputs);
  let assemblyFormat = "$name `(` $values `)` attr-dict `:` functional-type($values, $outputs)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many of the operands are inputs.
    unsigned inputCount() { return getInputs() ? static_cast<unsigned>(*getInputs()) : getValues().size(); }
    /// Whether the call is linear in operand `i`.
    bool isLinearIn(unsigned i) { return i < getLinear().size() && getLinear()[i]; }
  }];
}

def Tenferro_LinearCallOp : Tenferro_ProgramOp<"linear_call", [
    AttrSizedOperandSegments, Tenferro_Linear, DeclareOpInterfaceMethods<Tenferro_UserRuleInterface>,
    DeclareOpInterfaceMethods<Tenferro_DeferredInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the tangent of a custom_call of which the cotangents are known";
  let description = [{
    The derivative of the call `name` along `tangents`, one per float input, at `residuals`, its operands and results. Only
    its transpose is given: the function `vjp` of residuals and a cotangent per result. A reverse derivative transposes it
    away; a forward one uses the function `jvp`, of residuals and tangents, and is an error where there is none.

    Constraints:
    * (C1) `vjp`, and `jvp` if given, are functions of the module of these types.

    Derivative: linear in the tangents; the cotangents are the inlined `vjp`.

    Example:

    ```mlir
    %d = tenferro.linear_call "f" residuals(%x, %y) tangents(%t) {vjp = @f_vjp} : (tensor<4xf64>, tensor<4xf64>), (tensor<4xf64>) -> tensor<4xf64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Tenferro_Tensor>:$residuals, Variadic<Tenferro_Tensor>:$tangents,
                       FlatSymbolRefAttr:$vjp, OptionalAttr<FlatSymbolRefAttr>:$jvp);
  let results = (outs Variadic<Tenferro_Tensor>:$outputs);
  let assemblyFormat = [{
    $name `residuals` `(` $residuals `)` `tangents` `(` $tangents `)` attr-dict `:` `(` type($residuals) `)` `,`
    functional-type($tangents, $outputs)
  }];
}

#endif // TENFERRO_DIALECT_EXTENSION
