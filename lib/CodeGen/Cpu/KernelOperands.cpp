// Reads and addresses the operands of a kernel.
#include "lib/CodeGen/Cpu/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

KernelOperands::KernelOperands(KernelBuilder &builder, const ScalarBody &body, ArrayRef<Access> access, unsigned lanes,
                               Value args, Value along, Value across)
    : builder_(builder), body_(body), access_(access), lanes_(lanes) {
  for (auto [i, how] : llvm::enumerate(access_)) {
    bool index = how == Access::Index;
    first_.push_back(builder.loadEntry(args, i, index ? builder.i64Type() : builder.ptrType()));
    across_.push_back(builder.loadEntry(across, i, builder.i64Type()));
    step_.push_back(index ? builder.loadEntry(along, i, builder.i64Type()) : Value());
    ramp_.push_back(index ? builder.mul(builder.splat(step_.back(), lanes),
                                        builder.laneNumbers(builder.i64Type(), lanes))
                          : Value());
  }
}

SmallVector<Value> KernelOperands::at(Value i) {
  SmallVector<Value> places;
  for (auto [operand, how] : llvm::enumerate(access_)) {
    Value offset = builder_.mul(across_[operand], i);
    // Opaque to LLVM's loop strength reduction, which would otherwise carry a pointer per unrolled access across rows
    // and run out of registers in the inner loop.
    places.push_back(how == Access::Index ? builder_.add(first_[operand], offset)
                                          : builder_.opaque(builder_.advance(first_[operand], offset)));
  }
  return places;
}

SmallVector<Value> KernelOperands::uniform(ArrayRef<Value> places) {
  SmallVector<Value> values(body_.inputs());
  for (unsigned i = 0; i < body_.inputs(); ++i)
    if (access_[i] == Access::Scalar)
      values[i] = builder_.splat(builder_.load(body_.inputType(i), places[i]), lanes_);
    else if (access_[i] == Access::Index)
      values[i] = builder_.add(builder_.splat(places[i], lanes_), ramp_[i]);
  return values;
}

SmallVector<Value> KernelOperands::inputs(ArrayRef<Value> places, ArrayRef<Value> uniform, Value i,
                                          const LaneMask &mask) {
  SmallVector<Value> values(uniform.begin(), uniform.end());
  for (unsigned input = 0; input < body_.inputs(); ++input) {
    Type type = body_.inputType(input);
    if (access_[input] == Access::Unit)
      values[input] = builder_.loadVector(builder_.vectorType(type, lanes_), builder_.element(places[input], type, i), mask);
    else if (access_[input] == Access::Index)
      values[input] = builder_.add(values[input], builder_.splat(builder_.mul(step_[input], i), lanes_));
  }
  return values;
}

Value KernelOperands::output(ArrayRef<Value> places, unsigned o, Value i) {
  return builder_.element(outputPlace(places, o), body_.outputType(o), i);
}

} // namespace tenferro::compiler
