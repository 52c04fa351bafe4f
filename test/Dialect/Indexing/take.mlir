// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=rows | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<5x3xf64>, %i: tensor<2xi64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.take %{{.*}}[%{{.*}}] axis 0 : tensor<5x3xf64>, tensor<2xi64>
  %0 = tenferro.take %x[%i] axis 0 : tensor<5x3xf64>, tensor<2xi64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @rows_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[I:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.scatter_add %[[CT]] at %[[I]] axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @one
func.func @one(%x: tensor<5x3xi1>, %i: tensor<ui8>) -> tensor<5xi1> {
  // CHECK: tenferro.take %{{.*}}[%{{.*}}] axis 1 : tensor<5x3xi1>, tensor<ui8>
  %0 = tenferro.take %x[%i] axis 1 : tensor<5x3xi1>, tensor<ui8>
  return %0 : tensor<5xi1>
}

// CHECK-LABEL: func.func @matrix_of_indices
func.func @matrix_of_indices(%x: tensor<5x3xf32>, %i: tensor<2x4xi32>) -> tensor<2x4x3xf32> {
  // CHECK: tenferro.take %{{.*}}[%{{.*}}] axis 0 : tensor<5x3xf32>, tensor<2x4xi32>
  %0 = tenferro.take %x[%i] axis 0 : tensor<5x3xf32>, tensor<2x4xi32>
  return %0 : tensor<2x4x3xf32>
}
