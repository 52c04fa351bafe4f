// Bodies in place of calls, in bodies too; opaque kernels keep their name and lose their rules; what nobody names goes.
// RUN: tenferro-opt %s --tenferro-lower-residuals --tenferro-inline-custom-calls | FileCheck %s
// RUN: tenferro-opt %s --tenferro-cpu-pipeline | FileCheck %s --check-prefix=FUSED

// CHECK-NOT: func.func private
func.func private @square(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.mul %x, %x : tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @quartic(%x: tensor<4xf64>) -> tensor<4xf64> {
  %s = tenferro.custom_call "square" (%x) {primal = @square, vjp = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  %y = tenferro.custom_call "square" (%s) {primal = @square, vjp = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @rule(%x: tensor<4xf64>, %y: tensor<4xf64>, %ct: tensor<4xf64>) -> tensor<4xf64> {
  return %ct : tensor<4xf64>
}

// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf64>)
// CHECK:         %[[S:.*]] = tenferro.mul %[[X]], %[[X]]
// CHECK:         %[[Q:.*]] = tenferro.mul %[[S]], %[[S]]
// CHECK:         %[[Y:.*]] = tenferro.custom_call "lab.smooth.v1"(%[[Q]]) : (tensor<4xf64>) -> tensor<4xf64>
// CHECK:         return %[[Y]]
// FUSED-LABEL: func.func @f
// FUSED:         tenferro.kernel
// FUSED:         tenferro.custom_call
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %q = tenferro.custom_call "quartic" (%x) {primal = @quartic} : (tensor<4xf64>) -> tensor<4xf64>
  %y = tenferro.custom_call "lab.smooth.v1" (%q) {vjp = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// A call whose result was kept is not computed again.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    tenferro.neg
// CHECK-NEXT:    return
func.func @kept(%x: tensor<4xf64>, %k: tensor<4xf64>) -> tensor<4xf64> {
  %s = tenferro.custom_call "square" (%x) {primal = @square} : (tensor<4xf64>) -> tensor<4xf64>
  %r = tenferro.residual %s, %k : tensor<4xf64>
  %y = tenferro.neg %r : tensor<4xf64>
  return %y : tensor<4xf64>
}
