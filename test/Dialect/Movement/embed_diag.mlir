// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=square | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @square
// CHECK-SAME:    -> tensor<3x3xf64>
func.func @square(%x: tensor<3xf64>) -> tensor<3x3xf64> {
  // CHECK: tenferro.embed_diag %{{.*}} axes 0, 1 : tensor<3xf64>
  %0 = tenferro.embed_diag %x axes 0, 1 : tensor<3xf64>
  return %0 : tensor<3x3xf64>
}

// VJP-LABEL: func.func @square_vjp(
// VJP-SAME:    %[[CT:[a-z0-9]+]]: tensor<3x3xf64>) ->
// VJP:      %[[DX:.*]] = tenferro.extract_diag %[[CT]] axes 0, 1 : tensor<3x3xf64>
// VJP:      return %{{.*}}, %[[DX]]

// Axis 2 of the result is axis 1 of the operand; the new axis stands before it.
// CHECK-LABEL: func.func @in_front
// CHECK-SAME:    -> tensor<3x2x3xui8>
func.func @in_front(%x: tensor<2x3xui8>) -> tensor<3x2x3xui8> {
  // CHECK: tenferro.embed_diag %{{.*}} axes 2, 0 : tensor<2x3xui8>
  %0 = tenferro.embed_diag %x axes 2, 0 : tensor<2x3xui8>
  return %0 : tensor<3x2x3xui8>
}
