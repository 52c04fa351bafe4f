// What an operation says about itself: its scalar meaning and how it differentiates. The passes know operations through
// these alone.
#ifndef TENFERRO_DIALECT_INTERFACES
#define TENFERRO_DIALECT_INTERFACES

include "mlir/IR/OpBase.td"

def Tenferro_ElementwiseInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    One scalar meaning applied to every element of equally shaped operands. The scalar meaning is written over arith and
    math (named functions such as math.exp included: they are expanded later, once for all) and serves scalar code,
    vectors, tails, every target and constant folding.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the scalar meaning. `operands` are scalars in the kernel's element types: f32, f64, signless i8 (u8), i32,
      i64, and i1 for bool. The operation itself supplies signedness, direction, target dtype. A condition the semantics
      make an error becomes a `tenferro.raise_if` beside the value.
    }], "::mlir::Value", "buildScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def Tenferro_NonlinearInterface : OpInterface<"NonlinearOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    An operation with a tangent rule: slopes from its operands and results, then products with the tangents.
  }];
  let methods = [
    InterfaceMethod<[{
      Tangents of the results. `tangents` has one entry per operand, null where the tangent is absent (structurally
      zero); at least one is present. Entries of the answer may be null where the derivative is zero. Emits tenferro
      operations only; the result of the operation itself may be used.
    }], "::llvm::SmallVector<::mlir::Value>", "buildTangent",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$tangents)>,
    InterfaceMethod<[{
      Operands the rule covers: all by default. An operation that is linear in some operands and nonlinear in others
      implements LinearOpInterface for the former and names the latter here; the two rules' tangents add.
    }], "::llvm::SmallVector<bool>", "nonlinearOperands", (ins), "",
    [{ return ::llvm::SmallVector<bool>($_op->getNumOperands(), true); }]>,
  ];
}

def Tenferro_LinearInterface : OpInterface<"LinearOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    An operation linear in the operands of a mask, jointly (add, transpose, select's branches) or, if bilinear, in each
    of two with the other fixed (mul, dot_general, szmul).
  }];
  let methods = [
    InterfaceMethod<"Operands in which the operation is linear.", "::llvm::SmallVector<bool>", "linearOperands", (ins)>,
    InterfaceMethod<"Linear in one masked operand at a time, not jointly.", "bool", "isBilinear", (ins), "",
    [{ return false; }]>,
    InterfaceMethod<[{
      Tangents of the results from the tangents of the masked operands; null where absent. A joint linear operation gets
      all present tangents at once (at least one); a bilinear one is asked once per active operand with that tangent alone.
      Operands outside the mask stay as they are. Where a tensor is needed for an absent tangent it builds zeros.
    }], "::llvm::SmallVector<::mlir::Value>", "buildLinear",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$tangents)>,
    InterfaceMethod<[{
      Cotangents of the masked operands from those of the results (null where absent; at least one is present): one entry per operand, null where it
      is not `wanted` or structurally zero. The fixed factor of a bilinear operation is its current operand.
    }], "::llvm::SmallVector<::mlir::Value>", "buildCotangents",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$cotangents,
         "::llvm::ArrayRef<bool>":$wanted)>,
  ];
}

def Tenferro_NonDifferentiableInterface : OpInterface<"NonDifferentiableOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    Without a derivative, on purpose: piecewise constant, or not a function of differentiable values. Tangents are absent.
  }];
}

def Tenferro_CheapInterface : OpInterface<"CheapOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    Redoing it costs less than keeping its result: a view, a constant, a comparison, a conversion. Residual selection
    recomputes it from what it needs.
  }];
}

def Tenferro_ResidualInterface : OpInterface<"ResidualOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    The identity on operand 0 that only derivatives see. Differentiation looks through to the producer of operand 0 (the
    operation is linear in it); lowering for execution uses a value equal to it in its place: by default operand 1, where
    the value was kept.
  }];
  let methods = [
    InterfaceMethod<"The value as its producer computes it.", "::mlir::Value", "getComputed", (ins), "",
    [{ return $_op->getOperand(0); }]>,
    InterfaceMethod<"What stands for the result at execution.", "::mlir::Value", "getKept", (ins), "", [{ return $_op->getOperand(1); }]>,
  ];
}

def Tenferro_UserRuleInterface : OpInterface<"UserRuleOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    An operation whose derivative rules a user brought, some of which may be missing.
  }];
  let methods = [
    InterfaceMethod<[{
      Says, as an error, that there is no rule for this operand: no tangent of a derivative of that order, or no cotangent
      if `transposing`. Always fails.
    }], "::llvm::LogicalResult", "reportMissingRule",
    (ins "unsigned":$operand, "bool":$transposing, "int64_t":$order)>,
    InterfaceMethod<[{
      Nothing is known of what it computes, so that a rule may use it on tangents until something has to transpose it.
    }], "bool", "isTakenForLinear">,
  ];
}

def Tenferro_DeferredInterface : OpInterface<"DeferredOpInterface"> {
  let cppNamespace = "::tenferro::ir";
  let description = [{
    A linear operation that waits for what becomes of the derivative: transposing takes it away; where none follows, its
    forward form is put in its place.
  }];
  let methods = [
    InterfaceMethod<[{
      The results, computed forward; fails with a diagnostic where there is no rule for that.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildForward",
    (ins "::mlir::OpBuilder &":$builder, "int64_t":$order)>,
  ];
}

#endif // TENFERRO_DIALECT_INTERFACES
