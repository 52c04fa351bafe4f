// RUN: tenferro-opt %s --tenferro-dead-values | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %{{[^:]*}}: tensor<4xf64> {tenferro.unused})
// CHECK-NEXT:    %[[A:.*]] = tenferro.exp %[[X]]
// CHECK-NEXT:    return %[[A]]
func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %a = tenferro.exp %x : tensor<4xf64>
  %b = tenferro.exp %y : tensor<4xf64>
  %c = tenferro.mul %b, %a : tensor<4xf64>
  return %a : tensor<4xf64>
}
