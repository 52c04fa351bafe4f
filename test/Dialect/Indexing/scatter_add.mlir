// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=rows | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @rows
func.func @rows(%u: tensor<2x3xf64>, %i: tensor<2xi64>) -> tensor<5x3xf64> {
  // CHECK: tenferro.scatter_add %{{.*}} at %{{.*}} axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
  %0 = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
  return %0 : tensor<5x3xf64>
}

// VJP-LABEL: func.func @rows_vjp(
// VJP-SAME:    %[[U:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[I:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DU:.*]] = tenferro.take %[[CT]][%[[I]]] axis 0 : tensor<5x3xf64>, tensor<2xi64>
// VJP:      return %{{.*}}, %[[DU]]

// CHECK-LABEL: func.func @one
func.func @one(%u: tensor<5xi32>, %i: tensor<ui8>) -> tensor<5x3xi32> {
  // CHECK: tenferro.scatter_add %{{.*}} at %{{.*}} axis 1 extent 3 : tensor<5xi32>, tensor<ui8>
  %0 = tenferro.scatter_add %u at %i axis 1 extent 3 : tensor<5xi32>, tensor<ui8>
  return %0 : tensor<5x3xi32>
}

// CHECK-LABEL: func.func @matrix_of_indices
func.func @matrix_of_indices(%u: tensor<2x4x3xf32>, %i: tensor<2x4xi32>) -> tensor<5x3xf32> {
  // CHECK: tenferro.scatter_add %{{.*}} at %{{.*}} axis 0 extent 5 : tensor<2x4x3xf32>, tensor<2x4xi32>
  %0 = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2x4x3xf32>, tensor<2x4xi32>
  return %0 : tensor<5x3xf32>
}
