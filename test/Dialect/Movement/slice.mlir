// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=strided | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @strided
func.func @strided(%x: tensor<2x5xf64>) -> tensor<2x2xf64> {
  // CHECK: tenferro.slice %{{.*}} [0, 1] to [2, 5] step [1, 3] : tensor<2x5xf64>
  %0 = tenferro.slice %x [0, 1] to [2, 5] step [1, 3] : tensor<2x5xf64>
  return %0 : tensor<2x2xf64>
}

// VJP-LABEL: func.func @strided_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.pad %[[CT]] low [0, 1] high [0, 0] interior [0, 2] : tensor<2x2xf64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<5xi1>) -> tensor<0xi1> {
  // CHECK: tenferro.slice %{{.*}} [5] to [5] step [1] : tensor<5xi1>
  %0 = tenferro.slice %x [5] to [5] step [1] : tensor<5xi1>
  return %0 : tensor<0xi1>
}
