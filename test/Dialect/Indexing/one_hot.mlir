// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @last_axis
func.func @last_axis(%i: tensor<2xi64>) -> tensor<2x10xf64> {
  // CHECK: tenferro.one_hot %{{.*}} depth 10 axis 1 : tensor<2xi64> to tensor<2x10xf64>
  %0 = tenferro.one_hot %i depth 10 axis 1 : tensor<2xi64> to tensor<2x10xf64>
  return %0 : tensor<2x10xf64>
}

// CHECK-LABEL: func.func @first_axis
func.func @first_axis(%i: tensor<2xui8>) -> tensor<3x2xi1> {
  // CHECK: tenferro.one_hot %{{.*}} depth 3 axis 0 : tensor<2xui8> to tensor<3x2xi1>
  %0 = tenferro.one_hot %i depth 3 axis 0 : tensor<2xui8> to tensor<3x2xi1>
  return %0 : tensor<3x2xi1>
}

// CHECK-LABEL: func.func @depth_0
func.func @depth_0(%i: tensor<i32>) -> tensor<0xf32> {
  // CHECK: tenferro.one_hot %{{.*}} depth 0 axis 0 : tensor<i32> to tensor<0xf32>
  %0 = tenferro.one_hot %i depth 0 axis 0 : tensor<i32> to tensor<0xf32>
  return %0 : tensor<0xf32>
}
