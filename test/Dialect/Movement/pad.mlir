// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=around | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @around
func.func @around(%x: tensor<3xf64>) -> tensor<6xf64> {
  // CHECK: tenferro.pad %{{.*}} low [1] high [2] interior [0] : tensor<3xf64>
  %0 = tenferro.pad %x low [1] high [2] interior [0] : tensor<3xf64>
  return %0 : tensor<6xf64>
}

// VJP-LABEL: func.func @around_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.slice %[[CT]] [1] to [4] step [1] : tensor<6xf64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @between
func.func @between(%x: tensor<3xi32>) -> tensor<7xi32> {
  // CHECK: tenferro.pad %{{.*}} low [0] high [0] interior [2] : tensor<3xi32>
  %0 = tenferro.pad %x low [0] high [0] interior [2] : tensor<3xi32>
  return %0 : tensor<7xi32>
}

// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<0xf64>) -> tensor<2xf64> {
  // CHECK: tenferro.pad %{{.*}} low [1] high [1] interior [3] : tensor<0xf64>
  %0 = tenferro.pad %x low [1] high [1] interior [3] : tensor<0xf64>
  return %0 : tensor<2xf64>
}
