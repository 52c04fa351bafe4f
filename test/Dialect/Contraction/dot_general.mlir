// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=matrix_product | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @matrix_product
func.func @matrix_product(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> tensor<2x4xf64> {
  // CHECK: tenferro.dot_general %{{.*}}, %{{.*}} contracting [1] x [0] : tensor<2x3xf64>, tensor<3x4xf64>
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x3xf64>, tensor<3x4xf64>
  return %0 : tensor<2x4xf64>
}

// VJP-LABEL: func.func @matrix_product_vjp(
// VJP-SAME:    %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP-DAG:  %[[DA:.*]] = tenferro.dot_general %[[CT]], %[[B]] contracting [1] x [1] : tensor<2x4xf64>, tensor<3x4xf64>
// VJP-DAG:  %[[DB:.*]] = tenferro.dot_general %[[A]], %[[CT]] contracting [0] x [0] : tensor<2x3xf64>, tensor<2x4xf64>
// VJP:      return %{{.*}}, %[[DA]], %[[DB]]

// CHECK-LABEL: func.func @batches_trail
func.func @batches_trail(%a: tensor<5x2x3xf32>, %b: tensor<3x5x4xf32>) -> tensor<2x4x5xf32> {
  // CHECK: tenferro.dot_general %{{.*}}, %{{.*}} contracting [2] x [0] batch [0] x [1] : tensor<5x2x3xf32>, tensor<3x5x4xf32>
  %0 = tenferro.dot_general %a, %b contracting [2] x [0] batch [0] x [1] : tensor<5x2x3xf32>, tensor<3x5x4xf32>
  return %0 : tensor<2x4x5xf32>
}

// CHECK-LABEL: func.func @outer_product
func.func @outer_product(%a: tensor<2xi64>, %b: tensor<3xi64>) -> tensor<2x3xi64> {
  // CHECK: tenferro.dot_general %{{.*}}, %{{.*}} contracting [] x [] : tensor<2xi64>, tensor<3xi64>
  %0 = tenferro.dot_general %a, %b contracting [] x [] : tensor<2xi64>, tensor<3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @of_nothing
func.func @of_nothing(%a: tensor<2x0xf64>, %b: tensor<0x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.dot_general %{{.*}}, %{{.*}} contracting [1] x [0] : tensor<2x0xf64>, tensor<0x3xf64>
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x0xf64>, tensor<0x3xf64>
  return %0 : tensor<2x3xf64>
}
