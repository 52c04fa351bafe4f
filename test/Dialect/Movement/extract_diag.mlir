// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=wide | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @wide
// CHECK-SAME:    -> tensor<3xf64>
func.func @wide(%x: tensor<3x4xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.extract_diag %{{.*}} axes 0, 1 : tensor<3x4xf64>
  %0 = tenferro.extract_diag %x axes 0, 1 : tensor<3x4xf64>
  return %0 : tensor<3xf64>
}

// VJP-LABEL: func.func @wide_vjp(
// VJP-SAME:    %[[CT:[a-z0-9]+]]: tensor<3xf64>) ->
// VJP:      %[[M:.*]] = tenferro.embed_diag %[[CT]] axes 0, 1 : tensor<3xf64>
// VJP:      %[[DX:.*]] = tenferro.pad %[[M]] low [0, 0] high [0, 1] interior [0, 0] : tensor<3x3xf64>
// VJP:      return %{{.*}}, %[[DX]]

// The diagonal stands where axis_a does.
// CHECK-LABEL: func.func @between
// CHECK-SAME:    -> tensor<2x5xi1>
func.func @between(%x: tensor<2x2x5xi1>) -> tensor<2x5xi1> {
  // CHECK: tenferro.extract_diag %{{.*}} axes 1, 0 : tensor<2x2x5xi1>
  %0 = tenferro.extract_diag %x axes 1, 0 : tensor<2x2x5xi1>
  return %0 : tensor<2x5xi1>
}

// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<0x3xf64>) -> tensor<0xf64> {
  // CHECK: tenferro.extract_diag
  %0 = tenferro.extract_diag %x axes 0, 1 : tensor<0x3xf64>
  return %0 : tensor<0xf64>
}
