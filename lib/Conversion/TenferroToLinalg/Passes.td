// The conversion of fused groups.
#ifndef TENFERRO_CONVERSION_TENFERROTOLINALG_PASSES
#define TENFERRO_CONVERSION_TENFERROTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def TenferroToLinalgPass : Pass<"tenferro-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "turns fused groups into kernels: linalg.generic on buffers with a scalar body";
  let description = [{
    The body is made of the operations' own scalar meaning over arith and math. Buffers have reversed dimensions, so that
    the last one varies fastest. Transposes and broadcasts become indexing maps, iota `linalg.index`, splat constants
    scalars. A bool is i8 in memory and i1 in the body. A reduction is the attribute `tenferro.reduction`; the body yields
    the element.

    ```mlir
    // before
    %0 = tenferro.fused [3] (%c, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64> {
    ^bb0(%a: tensor<3xf64>, %b: tensor<3xf64>):
      %1 = tenferro.mul %a, %b : tensor<3xf64>
      %2 = tenferro.sum %1 [0] : tensor<3xf64>
      tenferro.yield %2 : tensor<f64>
    }
    // after
    %0 = tenferro.kernel "mul_sum"(%c, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64> {
    ^bb0(%a: memref<3xf64>, %b: memref<3xf64>, %out: memref<f64>):
      linalg.generic {indexing_maps = [(i) -> (i), (i) -> (i), (i) -> ()], iterator_types = ["reduction"]}
          ins(%a, %b) outs(%out) attrs = {tenferro.reduction = "sum"} {
      ^bb0(%p: f64, %q: f64, %r: f64):
        %1 = arith.mulf %p, %q : f64
        linalg.yield %1 : f64
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"kernels", "kernels", "number of kernels made">];
}

#endif // TENFERRO_CONVERSION_TENFERROTOLINALG_PASSES
