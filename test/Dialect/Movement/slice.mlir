// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @strided
func.func @strided(%x: tensor<2x5xf64>) -> tensor<2x2xf64> {
  // CHECK: tenferro.slice %{{.*}} [0, 1] to [2, 5] step [1, 3] : tensor<2x5xf64>
  %0 = tenferro.slice %x [0, 1] to [2, 5] step [1, 3] : tensor<2x5xf64>
  return %0 : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<5xi1>) -> tensor<0xi1> {
  // CHECK: tenferro.slice %{{.*}} [5] to [5] step [1] : tensor<5xi1>
  %0 = tenferro.slice %x [5] to [5] step [1] : tensor<5xi1>
  return %0 : tensor<0xi1>
}
