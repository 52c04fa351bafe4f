// RUN: tenferro-opt %s --tenferro-freeze | FileCheck %s

// Constants of several values become arguments, in order; splats, single values and arguments stay.
// CHECK-LABEL: func.func @captured
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf64>, %[[A:.*]]: tensor<2xf64> {tenferro.binding = 0 : i64},
// CHECK-SAME:     %[[B:.*]]: tensor<3xi64> {tenferro.binding = 1 : i64})
// CHECK-SAME:    tenferro.bindings = [dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>, dense<[0, 1, 1]> : tensor<3xi64>]
func.func @captured(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<3xf64>) {
  // CHECK: %[[TWO:.*]] = tenferro.constant dense<2.000000e+00>
  %two = tenferro.constant dense<2.0> : tensor<2xf64>
  %a = tenferro.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %b = tenferro.constant dense<[0, 1, 1]> : tensor<3xi64>
  // CHECK: %[[AX:.*]] = tenferro.mul %[[A]], %[[X]]
  %ax = tenferro.mul %a, %x : tensor<2xf64>
  // CHECK: tenferro.add %[[AX]], %[[TWO]]
  %y = tenferro.add %ax, %two : tensor<2xf64>
  // CHECK: tenferro.take %{{.*}}[%[[B]]]
  %z = tenferro.take %y[%b] axis 0 : tensor<2xf64>, tensor<3xi64>
  return %y, %z : tensor<2xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @nothing_captured
// CHECK-SAME:    (%{{[^,]*}}: tensor<2xf64>) -> tensor<2xf64> {
func.func @nothing_captured(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}
