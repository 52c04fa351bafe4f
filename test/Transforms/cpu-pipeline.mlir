// The pipeline of the compiler, as one flag: kept values, algebra, groups, kernels, buffers.
// RUN: tenferro-opt %s --tenferro-cpu-pipeline | FileCheck %s

// The kept value replaces the exponential, which nobody computes; x + (-0.0) is x.
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[X:.*]]: tensor<3xf64> {tenferro.unused}, %[[KEPT:.*]]: tensor<3xf64>, %[[CT:.*]]: tensor<3xf64>)
// CHECK-SAME: tenferro.arena_bytes = 0
// CHECK-NEXT: tenferro.kernel "mul_mul"(%{{.*}}, %{{.*}}) {tenferro.storage = ["result 0"]}
// CHECK-NOT: math.exp
func.func @f(%x: tensor<3xf64>, %kept: tensor<3xf64>, %ct: tensor<3xf64>) -> tensor<3xf64> {
  %zero = tenferro.constant dense<-0.0> : tensor<3xf64>
  %y = tenferro.exp %x : tensor<3xf64>
  %r = tenferro.residual %y, %kept : tensor<3xf64>
  %a = tenferro.add %y, %zero : tensor<3xf64>
  %b = tenferro.mul %a, %r : tensor<3xf64>
  %c = tenferro.mul %b, %ct : tensor<3xf64>
  return %c : tensor<3xf64>
}
