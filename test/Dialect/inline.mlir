// Calls can be inlined, as differentiation and freezing ask for.
// RUN: tenferro-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    %[[E:.*]] = tenferro.exp %arg0
// CHECK-NEXT:    return %[[E]]
func.func private @g(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = tenferro.exp %x : tensor<3xf64>
  return %y : tensor<3xf64>
}
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = call @g(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
