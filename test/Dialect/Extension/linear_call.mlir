// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-linearize="function=f" | FileCheck %s --check-prefix=LINEAR
// RUN: tenferro-opt %s --tenferro-linearize="function=f" --tenferro-transpose="function=f.linear" | FileCheck %s --check-prefix=TRANSPOSE
// RUN: tenferro-opt %s --tenferro-vjp="function=g result=vjp_of_linear wrt=2" | FileCheck %s --check-prefix=VJP

func.func private @rule(%x: tensor<4xf64>, %y: tensor<4xf64>, %ct: tensor<4xf64>) -> tensor<4xf64> {
  %c = tenferro.mul %ct, %x : tensor<4xf64>
  return %c : tensor<4xf64>
}

// LINEAR-LABEL: func.func @f.linear
// LINEAR:         tenferro.linear_call "cube" residuals(%{{.*}}, %{{.*}}) tangents(%{{.*}}) {vjp = @rule}
// TRANSPOSE-LABEL: func.func @f.transpose
// TRANSPOSE-SAME:    (%[[X:.*]]: tensor<4xf64>, %{{.*}}: tensor<4xf64>, %[[CT:.*]]: tensor<4xf64>)
// TRANSPOSE:         %[[G:.*]] = tenferro.mul %[[CT]], %[[X]]
// TRANSPOSE:         return %[[G]]
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.custom_call "cube" (%x) {vjp = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: func.func @g
// VJP-LABEL:   func.func @vjp_of_linear
// VJP-SAME:      (%[[X:.*]]: tensor<4xf64>, %{{.*}}: tensor<4xf64>, %{{.*}}: tensor<4xf64>, %[[CT:.*]]: tensor<4xf64>)
// VJP:           %[[G:.*]] = tenferro.mul %[[CT]], %[[X]]
func.func @g(%x: tensor<4xf64>, %y: tensor<4xf64>, %dx: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.linear_call "cube" residuals(%{{.*}}, %{{.*}}) tangents(%{{.*}}) {vjp = @rule} : (tensor<4xf64>, tensor<4xf64>), (tensor<4xf64>) -> tensor<4xf64>
  %dy = tenferro.linear_call "cube" residuals(%x, %y) tangents(%dx) {vjp = @rule}
    : (tensor<4xf64>, tensor<4xf64>), (tensor<4xf64>) -> tensor<4xf64>
  return %dy : tensor<4xf64>
}
