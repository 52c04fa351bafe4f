// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @square
// CHECK-SAME:    %[[X:.*]]: tensor<64xf64>
func.func @square(%x: tensor<64xf64>) -> tensor<64xf64> {
  // CHECK: %[[Y:.*]] = tenferro.fused [64](%[[X]]) : (tensor<64xf64>) -> tensor<64xf64> {
  // CHECK: ^bb0(%[[A:.*]]: tensor<64xf64>):
  // CHECK:   %[[P:.*]] = tenferro.mul %[[A]], %[[A]] : tensor<64xf64>
  // CHECK:   tenferro.yield %[[P]] : tensor<64xf64>
  %y = tenferro.fused [64](%x) : (tensor<64xf64>) -> tensor<64xf64> {
  ^bb0(%a: tensor<64xf64>):
    %0 = tenferro.mul %a, %a : tensor<64xf64>
    tenferro.yield %0 : tensor<64xf64>
  }
  // CHECK: return %[[Y]]
  return %y : tensor<64xf64>
}
