// The dialect, its attributes and the base classes of its operations.
#ifndef TENFERRO_DIALECT_BASE
#define TENFERRO_DIALECT_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/tenferro/Interfaces.td"

def Tenferro_Dialect : Dialect {
  let name = "tenferro";
  let cppNamespace = "::tenferro::ir";
  let summary = "tensor programs that differentiate";
  let description = [{
    Pure operations on ranked tensors of static shape, with equal shapes and dtypes where several operands meet:
    broadcasting, promotion and negative axes are front-end sugar. Axis 0 varies fastest. The README beside this file has
    the numerics.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

// The element types of today; f16, bf16, i8, i16 and complex join here. Which of them an operation takes is for lib/Core's
// rule to say, so that the eager front end and the verifier give one message.
def Tenferro_Tensor : StaticShapeTensorOf<[F32, F64, I32, I64, UI8, I1]>;

// Of compare; here so that the enums of the dialect generate once.
def Tenferro_Direction : I32EnumAttr<"Direction", "direction of a comparison", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::tenferro::ir";
}

// Of gather and scatter; the numbers are those of tenferro::IndexMode and tenferro::ScatterUpdate.
def Tenferro_IndexMode : I32EnumAttr<"IndexMode", "what becomes of a window outside", [
    I32EnumAttrCase<"ERROR", 0, "error">, I32EnumAttrCase<"CLIP", 1, "clip">, I32EnumAttrCase<"FILL", 2, "fill">]> {
  let cppNamespace = "::tenferro::ir";
}
def Tenferro_ScatterUpdate : I32EnumAttr<"ScatterUpdate", "how an update meets its target", [
    I32EnumAttrCase<"ADD", 0, "add">, I32EnumAttrCase<"MUL", 1, "mul">, I32EnumAttrCase<"MAX", 2, "max">, I32EnumAttrCase<"MIN", 3, "min">,
    I32EnumAttrCase<"SET", 4, "set">]> {
  let cppNamespace = "::tenferro::ir";
}

// Of cumsum and scatter_prefix.
def Tenferro_ScanOrder : I32EnumAttr<"ScanOrder", "the end a running reduction starts from", [
    I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Reverse", 1, "reverse">]> {
  let cppNamespace = "::tenferro::ir";
}

def Tenferro_RoleTangent : I32EnumAttrCase<"Tangent", 0, "tangent">;
def Tenferro_RoleCotangent : I32EnumAttrCase<"Cotangent", 1, "cotangent">;
def Tenferro_Role : I32EnumAttr<"RuleRole", "what a derivative rule makes", [Tenferro_RoleTangent, Tenferro_RoleCotangent]> {
  let cppNamespace = "::tenferro::ir";
}

def Tenferro_RuleAttr : AttrDef<Tenferro_Dialect, "Rule"> {
  let mnemonic = "rule";
  let summary = "the rule that made a derivative operation";
  let description = [{
    Metadata of the fused location of every operation a rule emits: the primal operation's mnemonic (of a call of what a
    user brought, an `@` and the user's name for it), what the rule makes, for a cotangent the operand it belongs to (-1
    otherwise), and the order of differentiation.
  }];
  let parameters = (ins StringRefParameter<"primal operation">:$op, EnumParameter<Tenferro_Role>:$role,
                        "int64_t":$operand, "int64_t":$order);
  let assemblyFormat = "`<` $op `,` $role `,` `operand` $operand `,` `order` $order `>`";
}

// The result type follows from operands and attributes by lib/Core's shape rule; every operation is verified by it.
def Tenferro_SchemaTrait : NativeOpTrait<"SchemaOp"> {
  let cppNamespace = "::tenferro::ir";
}

// Results are printed under the name in their location, if it has one: rules name what they make (%slope, %ct).
def Tenferro_NamedResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

// An operation that only programs hold.
class Tenferro_ProgramOp<string mnemonic, list<Trait> traits = []>
    : Op<Tenferro_Dialect, mnemonic, !listconcat([Pure, Tenferro_NamedResults], traits)> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::tenferro::ir::nameResultsByLocation(getOperation(), setName);
    }
  }];
}

// An operation a trace can hold. `family` names its files, `schema` lists its attributes for lib/Core in order, each
// "name:kind" with kind int, ints, enum, result_shape or result_dtype. `shapeRule` names lib/Core's rule, infer<Class> if
// empty.
class Tenferro_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tenferro_Dialect, mnemonic, !listconcat([Pure, Tenferro_SchemaTrait, Tenferro_NamedResults], traits)> {
  string family = "";
  list<string> schema = [];
  string shapeRule = "";
  bit elementwise = 0;
  bit commutative = 0;
  bit view = 0;
  bit reduction = 0;
  bit inTrace = 1;
  code namesResults = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::tenferro::ir::nameResultsByLocation(getOperation(), setName);
    }
  }];
  let extraClassDefinition = namesResults;
}

// Result types that the operands and attributes determine are inferred; the class defines the interface by the schema.
class Tenferro_InferredOp<string mnemonic, list<Trait> traits = []>
    : Tenferro_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  code infersResults = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return ::tenferro::ir::inferResultBySchema<$cppClass>(context, location, operands, attributes, properties, results);
    }
  }];
  let extraClassDefinition = namesResults # infersResults;
}

// The derivative classes: which rule an operation brings.
def Tenferro_Elementwise : DeclareOpInterfaceMethods<Tenferro_ElementwiseInterface>;
def Tenferro_Nonlinear : DeclareOpInterfaceMethods<Tenferro_NonlinearInterface>;
def Tenferro_Linear : DeclareOpInterfaceMethods<Tenferro_LinearInterface>;
def Tenferro_Bilinear : DeclareOpInterfaceMethods<Tenferro_LinearInterface, ["isBilinear"]>;
def Tenferro_NonDifferentiable : DeclareOpInterfaceMethods<Tenferro_NonDifferentiableInterface>;

// One operand, element by element, the result like it.
class Tenferro_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Tenferro_InferredOp<mnemonic, !listconcat([Tenferro_Elementwise], traits)> {
  let elementwise = 1;
  let arguments = (ins Tenferro_Tensor:$operand);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

// Two operands of one type, element by element.
class Tenferro_BinaryOp<string mnemonic, list<Trait> traits = []>
    : Tenferro_InferredOp<mnemonic, !listconcat([Tenferro_Elementwise], traits)> {
  let elementwise = 1;
  let arguments = (ins Tenferro_Tensor:$lhs, Tenferro_Tensor:$rhs);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<EqualTypes>(type($lhs), type($rhs))";
}

#endif // TENFERRO_DIALECT_BASE
