// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=windows wrt=0" | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @windows
// CHECK-SAME:    -> tensor<2x3xf64>
func.func @windows(%x: tensor<5x4xf64>, %i: tensor<3x2xi64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.gather %{{.*}}[%{{.*}}] offset [0] collapsed [1] map [0, 1] vector 1 sizes [2, 1] error : tensor<5x4xf64>, tensor<3x2xi64>
  %0 = tenferro.gather %x[%i] offset [0] collapsed [1] map [0, 1] vector 1 sizes [2, 1] error : tensor<5x4xf64>, tensor<3x2xi64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @windows_vjp(
// VJP-SAME:    %[[I:[a-z0-9]+]]: tensor<3x2xi64>, %[[CT:[a-z0-9]+]]: tensor<2x3xf64>) ->
// VJP:      %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00> : tensor<5x4xf64>
// VJP:      %[[DX:.*]] = tenferro.scatter %[[ZERO]][%[[I]]] add %[[CT]] window [0] inserted [1] map [0, 1] vector 1 error
// VJP:      return %{{.*}}, %[[DX]]

// Indices of one component each.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    -> tensor<2x2x3xi32>
func.func @rows(%x: tensor<4x3xi32>, %i: tensor<2x2xi32>) -> tensor<2x2x3xi32> {
  // CHECK: tenferro.gather %{{.*}} vector 2 sizes [1, 3] clip
  %0 = tenferro.gather %x[%i] offset [2] collapsed [0] map [0] vector 2 sizes [1, 3] clip : tensor<4x3xi32>, tensor<2x2xi32>
  return %0 : tensor<2x2x3xi32>
}

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<f64>, %i: tensor<0xi64>) -> tensor<f64> {
  // CHECK: tenferro.gather %{{.*}} fill
  %0 = tenferro.gather %x[%i] offset [] collapsed [] map [] vector 0 sizes [] fill : tensor<f64>, tensor<0xi64>
  return %0 : tensor<f64>
}
