// The walk: what it replaces, what it leaves, what it refuses.
#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tenferro::test {

class ExpandMath : public testing::Test {
protected:
  ExpandMath() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                        memref::MemRefDialect>();
  }
  OwningOpRef<ModuleOp> parse(StringRef text) { return parseSourceString<ModuleOp>(text, &context); }
  /// Names of the math ops left.
  static std::string mathOps(ModuleOp module) {
    std::string names;
    module.walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op))
        names += op->getName().getStringRef().str() + " ";
    });
    return names;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST_F(ExpandMath, bodyOfGeneric) {
  auto module = parse(R"(
    #id = affine_map<(d0) -> (d0)>
    func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) {
        ^bb0(%x: f32, %unused: f32):
          %0 = math.exp %x : f32
          %1 = math.log1p %0 : f32
          linalg.yield %1 : f32
      }
      return
    })");
  ASSERT_TRUE(module);
  int64_t expanded = 0;
  ASSERT_TRUE(succeeded(compiler::expandMath(*module, &expanded)));
  EXPECT_EQ(expanded, 2);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(mathOps(*module), "math.copysign ");
}

TEST_F(ExpandMath, leavesInstructions) {
  auto module = parse(R"(
    func.func @f(%x: vector<4xf64>) -> vector<4xf64> {
      %0 = math.sqrt %x : vector<4xf64>
      %1 = math.trunc %0 : vector<4xf64>
      return %1 : vector<4xf64>
    })");
  int64_t expanded = 0;
  ASSERT_TRUE(succeeded(compiler::expandMath(*module, &expanded)));
  EXPECT_EQ(expanded, 0);
  EXPECT_EQ(mathOps(*module), "math.sqrt math.trunc ");
}

TEST_F(ExpandMath, refusesOtherTypes) {
  auto module = parse("func.func @f(%x: bf16) -> bf16 { %0 = math.exp %x : bf16 return %0 : bf16 }");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(compiler::expandMath(*module)));
  EXPECT_EQ(message,
            "'math.exp' op has no expansion for this type; expects f32, f64 or a vector of them, but got 'bf16'");
}

} // namespace tenferro::test
