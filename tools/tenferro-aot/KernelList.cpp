// Walks the operation schema; the dialect says what each operation means.
#include "tools/tenferro-aot/KernelList.h"

#include "dialects/tenferro/Interfaces.h"
#include "dialects/tenferro/Schema.h"
#include "lib/Core/ShapeRules.h"
#include "runtime/kernels/KernelName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::aot {

namespace {

constexpr DType kDTypes[] = {DType::Bool, DType::U8, DType::I8, DType::I16, DType::I32, DType::I64,
                             DType::F16,  DType::BF16, DType::F32, DType::F64, DType::Complex64, DType::Complex128};
constexpr int64_t kExtent = 4; // of the tensors the rules are asked about: any will do

bool hasKernels(MLIRContext *context, DType dtype) {
  return ir::elementTypeToIr(context, dtype) && memoryType(context, dtype);
}

/// All settings of an operation's attributes that make different kernels; the rest is fixed to something valid.
std::vector<core::Attributes> attributeChoices(const core::OpSchema &schema) {
  std::vector<core::Attributes> choices{{}};
  for (const core::AttributeSchema &attribute : schema.attributes) {
    std::vector<core::Attributes> longer;
    for (const core::Attributes &choice : choices) {
      auto append = [&](std::initializer_list<int64_t> values) {
        core::Attributes next = choice;
        for (int64_t value : values)
          next.push_back(value);
        longer.push_back(next);
      };
      switch (attribute.kind) {
      case core::AttributeKind::Int: // one_hot's depth and axis, iota's axis: no part of the scalar meaning
        append({attribute.name == "depth" ? kExtent : 0});
        break;
      case core::AttributeKind::Enum: // compare's direction
        for (int64_t direction = 0; direction < 6; ++direction)
          append({direction});
        break;
      case core::AttributeKind::ResultShape:
        append({1, kExtent});
        break;
      case core::AttributeKind::ResultDType:
        for (DType dtype : kDTypes)
          append({static_cast<int64_t>(dtype)});
        break;
      case core::AttributeKind::IntArray:
        break;
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

/// Lists the kernels of element-wise operations.
class ElementwiseLister {
public:
  ElementwiseLister(ModuleOp scratch, std::vector<KernelSpec> &specs) : scratch_(scratch), specs_(specs) {}

  void list(const core::OpSchema &schema) {
    for (const core::Attributes &attributes : attributeChoices(schema))
      if (schema.operands == 0)
        addKernel(schema, attributes, {});
      else
        for (DType dtype : kDTypes) {
          std::vector<DType> operands(schema.operands, dtype);
          if (schema.mnemonic == "select")
            operands[0] = DType::Bool;
          addKernel(schema, attributes, operands);
        }
  }

private:
  void addKernel(const core::OpSchema &schema, const core::Attributes &attributes, const std::vector<DType> &operands) {
    MLIRContext *context = scratch_.getContext();
    std::vector<core::ValueType> types;
    for (DType dtype : operands) {
      if (!hasKernels(context, dtype))
        return;
      types.push_back({dtype, Shape{kExtent}});
    }
    // What the rule refuses has no kernel.
    auto result = core::inferResult(schema.kind, types, attributes);
    if (!result || !hasKernels(context, result->dtype))
      return;
    std::string name = runtime::kernelName(schema.kind, types, attributes, result->dtype);
    // convert and cast share kernels.
    if (llvm::any_of(specs_, [&](const KernelSpec &spec) { return spec.name == name; }))
      return;

    OpBuilder builder(context);
    builder.setInsertionPointToEnd(scratch_.getBody());
    Location loc = NameLoc::get(builder.getStringAttr(name));
    SmallVector<Type> tensors;
    for (const core::ValueType &type : types)
      tensors.push_back(ir::typeToIr(context, type));
    auto function = func::FuncOp::create(builder, loc, "op." + name, builder.getFunctionType(tensors, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    Operation *op = ir::createOp(builder, loc, schema.kind, function.getArguments(), attributes, *result);
    func::ReturnOp::create(builder, loc);

    KernelSpec spec;
    spec.name = std::move(name);
    spec.inputs = operands;
    spec.coordinate = schema.mnemonic == "iota" || schema.mnemonic == "one_hot";
    spec.output = result->dtype;
    spec.body = [op](OpBuilder &builder, Location, ValueRange operands) {
      return cast<ir::ElementwiseOpInterface>(op).buildScalar(builder, operands);
    };
    specs_.push_back(std::move(spec));
  }

  ModuleOp scratch_;
  std::vector<KernelSpec> &specs_;
};

/// The meaning of "dot": products, which the reduction adds.
Value buildProduct(OpBuilder &builder, Location loc, ValueRange operands) {
  if (isa<FloatType>(operands[0].getType()))
    return arith::MulFOp::create(builder, loc, operands[0], operands[1]);
  return arith::MulIOp::create(builder, loc, operands[0], operands[1]);
}

void listReductions(MLIRContext *context, std::vector<KernelSpec> &specs) {
  for (const char *mnemonic : {"sum", "prod", "max", "min", "any", "all"}) {
    const core::OpSchema *schema = core::findSchema(mnemonic);
    for (DType dtype : kDTypes) {
      core::ValueType operand{dtype, Shape{kExtent}};
      core::Attributes axes{1, 0};
      if (!schema || !hasKernels(context, dtype) || !core::inferResult(schema->kind, {&operand, 1}, axes))
        continue;
      KernelSpec spec;
      spec.name = runtime::kernelName(schema->kind, {&operand, 1}, axes, dtype);
      spec.kind = runtime::Tier0Class::Reduce;
      spec.inputs = {dtype};
      spec.output = dtype;
      spec.reduction = mnemonic;
      spec.body = [](OpBuilder &, Location, ValueRange operands) { return operands[0]; };
      specs.push_back(std::move(spec));
    }
  }
}

void listProducts(MLIRContext *context, std::vector<KernelSpec> &specs) {
  const core::OpSchema *schema = core::findSchema("dot_general");
  for (DType dtype : kDTypes) {
    // A vector times a vector.
    core::ValueType operands[2] = {{dtype, Shape{kExtent}}, {dtype, Shape{kExtent}}};
    core::Attributes attributes{1, 0, 1, 0, 0, 0};
    if (!schema || dtype == DType::Bool || !hasKernels(context, dtype) ||
        !core::inferResult(schema->kind, operands, attributes))
      continue;
    KernelSpec tiles;
    tiles.name = runtime::kernelName(schema->kind, operands, attributes, dtype);
    tiles.kind = runtime::Tier0Class::Matmul;
    tiles.inputs = {dtype, dtype};
    tiles.output = dtype;
    KernelSpec tree = tiles;
    tree.name = "dot." + std::string(name(dtype));
    tree.kind = runtime::Tier0Class::Reduce;
    tree.reduction = "sum";
    tree.body = buildProduct;
    specs.push_back(std::move(tiles));
    specs.push_back(std::move(tree));
  }
}

} // namespace

Type memoryType(MLIRContext *context, DType dtype) {
  Builder builder(context);
  switch (dtype) {
  case DType::Bool:
  case DType::U8:
    return builder.getI8Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I64:
    return builder.getI64Type();
  case DType::F32:
    return builder.getF32Type();
  case DType::F64:
    return builder.getF64Type();
  default:
    return {};
  }
}

std::vector<KernelSpec> listKernels(ModuleOp scratch) {
  std::vector<KernelSpec> specs;
  ElementwiseLister elementwise(scratch, specs);
  for (int kind = 0; kind < core::kOpKindCount; ++kind) {
    const core::OpSchema &schema = core::schema(static_cast<core::OpKind>(kind));
    if (!schema.elementwise && schema.mnemonic != "iota" && schema.mnemonic != "one_hot")
      continue;
    for (const core::AttributeSchema &attribute : schema.attributes)
      if (attribute.kind == core::AttributeKind::IntArray) {
        scratch.emitError("no list of kernels for attribute '")
            << attribute.name << "' of element-wise operation '" << schema.mnemonic << "'";
        return {};
      }
    elementwise.list(schema);
  }
  listReductions(scratch.getContext(), specs);
  listProducts(scratch.getContext(), specs);
  std::sort(specs.begin(), specs.end(), [](const KernelSpec &a, const KernelSpec &b) { return a.name < b.name; });
  return specs;
}

linalg::GenericOp buildGeneric(ModuleOp scratch, const KernelSpec &spec) {
  MLIRContext *context = scratch.getContext();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(scratch.getBody());
  Location loc = NameLoc::get(builder.getStringAttr(spec.name));
  bool reduce = spec.kind == runtime::Tier0Class::Reduce;

  auto memref = [&](DType dtype, bool kept) {
    SmallVector<int64_t> shape(kept ? 1 : 2, ShapedType::kDynamic);
    return MemRefType::get(shape, memoryType(context, dtype));
  };
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  for (DType dtype : spec.inputs) {
    types.push_back(memref(dtype, false));
    maps.push_back(AffineMap::getMultiDimIdentityMap(2, context));
  }
  types.push_back(memref(spec.output, reduce));
  maps.push_back(reduce ? AffineMap::get(2, 0, builder.getAffineDimExpr(1)) : AffineMap::getMultiDimIdentityMap(2, context));

  auto function = func::FuncOp::create(builder, loc, "kernel." + spec.name, builder.getFunctionType(types, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<utils::IteratorType> iterators{reduce ? utils::IteratorType::reduction : utils::IteratorType::parallel,
                                             utils::IteratorType::parallel};
  ValueRange arguments = function.getArguments();
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(), arguments.drop_back(), arguments.take_back(), maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        SmallVector<Value> operands;
        for (auto [dtype, element] : llvm::zip(spec.inputs, elements))
          operands.push_back(dtype == DType::Bool
                                 ? arith::TruncIOp::create(builder, loc, builder.getI1Type(), element).getResult()
                                 : element);
        if (spec.coordinate) {
          Value index = linalg::IndexOp::create(builder, loc, 0);
          operands.push_back(arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index));
        }
        Value result = spec.body(builder, loc, operands);
        if (spec.output == DType::Bool)
          result = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), result);
        linalg::YieldOp::create(builder, loc, result);
      });
  if (reduce)
    generic->setAttr("tenferro.reduction", builder.getStringAttr(spec.reduction));
  func::ReturnOp::create(builder, loc);
  return generic;
}

} // namespace tenferro::aot
