// RUN: tenferro-opt %s --tenferro-simplify | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>)
// CHECK-NEXT:    return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %one = tenferro.constant dense<1.0> : tensor<4xf64>
  %minus_zero = tenferro.constant dense<-0.0> : tensor<4xf64>
  %a = tenferro.mul %one, %x : tensor<4xf64>
  %b = tenferro.add %x, %minus_zero : tensor<4xf64>
  %n = tenferro.neg %x : tensor<4xf64>
  %c = tenferro.neg %n : tensor<4xf64>
  %d = tenferro.sum %x [] : tensor<4xf64>
  return %a, %b, %c, %d : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// Adding +0.0 changes -0.0, multiplying by zero changes NaN: neither goes.
// CHECK-LABEL: func.func @inexact
func.func @inexact(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %zero = tenferro.constant dense<0.0> : tensor<4xf64>
  // CHECK: tenferro.add
  %a = tenferro.add %x, %zero : tensor<4xf64>
  // CHECK: tenferro.mul
  %b = tenferro.mul %x, %zero : tensor<4xf64>
  return %a, %b : tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: func.func @movement
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2x3x4xf64>, %[[Y:[^:]*]]: tensor<3xf64>)
func.func @movement(%x: tensor<2x3x4xf64>, %y: tensor<3xf64>)
    -> (tensor<2x3x4xf64>, tensor<4x2x3xf64>, tensor<6x4xf64>, tensor<2x3x4xf64>) {
  // Back and forth.
  %a = tenferro.transpose %x [2, 0, 1] : tensor<2x3x4xf64>
  %b = tenferro.transpose %a [1, 2, 0] : tensor<4x2x3xf64>
  // Twice around is once the other way.
  // CHECK-DAG: %[[T:.*]] = tenferro.transpose %[[X]] [2, 0, 1]
  %c = tenferro.transpose %x [1, 2, 0] : tensor<2x3x4xf64>
  %d = tenferro.transpose %c [1, 2, 0] : tensor<3x4x2xf64>
  // CHECK-DAG: %[[R:.*]] = tenferro.reshape %[[X]] : tensor<2x3x4xf64> to tensor<6x4xf64>
  %e = tenferro.reshape %x : tensor<2x3x4xf64> to tensor<24xf64>
  %f = tenferro.reshape %e : tensor<24xf64> to tensor<6x4xf64>
  // CHECK-DAG: %[[B:.*]] = tenferro.broadcast_in_dim %[[Y]] [1] : tensor<3xf64> to tensor<2x3x4xf64>
  %g = tenferro.broadcast_in_dim %y [0] : tensor<3xf64> to tensor<3x4xf64>
  %h = tenferro.broadcast_in_dim %g [1, 2] : tensor<3x4xf64> to tensor<2x3x4xf64>
  // CHECK: return %[[X]], %[[T]], %[[R]], %[[B]]
  return %b, %d, %f, %h : tensor<2x3x4xf64>, tensor<4x2x3xf64>, tensor<6x4xf64>, tensor<2x3x4xf64>
}

// A broadcast of one value is a constant; a select between equals is one of them.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    (%{{[^:]*}}: tensor<2x3xi1>, %[[X:[^:]*]]: tensor<2x3xf64>)
func.func @constants(%p: tensor<2x3xi1>, %x: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  // CHECK: %[[TWO:.*]] = tenferro.constant dense<2.000000e+00> : tensor<2x3xf64>
  // CHECK-NOT: broadcast_in_dim
  %two = tenferro.constant dense<2.0> : tensor<f64>
  %a = tenferro.broadcast_in_dim %two [] : tensor<f64> to tensor<2x3xf64>
  %b = tenferro.select %p, %x, %x : tensor<2x3xi1>, tensor<2x3xf64>
  // CHECK: return %[[TWO]], %[[X]]
  return %a, %b : tensor<2x3xf64>, tensor<2x3xf64>
}

// A slope that constants make finite needs no strong zero; an argument may be infinite, and what a program computes may be
// an argument in the next.
// CHECK-LABEL: func.func @strong_zero
// CHECK-SAME:    (%[[P:[^:]*]]: tensor<4xi1>, %[[S:[^:]*]]: tensor<4xf64>, %[[T:[^:]*]]: tensor<4xf64>)
func.func @strong_zero(%p: tensor<4xi1>, %s: tensor<4xf64>, %t: tensor<4xf64>)
    -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %half = tenferro.constant dense<0.5> : tensor<4xf64>
  %infinite = tenferro.constant dense<0x7FF0000000000000> : tensor<4xf64>
  %some = tenferro.constant dense<[1.0, 2.0, -3.0, 0.5]> : tensor<4xf64>
  %finite = tenferro.select %p, %half, %some : tensor<4xi1>, tensor<4xf64>
  // CHECK: %[[A:.*]] = tenferro.mul %{{.*}}, %[[T]]
  %a = tenferro.szmul %finite, %t : tensor<4xf64>
  // CHECK: %[[B:.*]] = tenferro.szmul %[[S]], %[[T]]
  %b = tenferro.szmul %s, %t : tensor<4xf64>
  // CHECK: %[[C:.*]] = tenferro.szmul %{{.*}}, %[[T]]
  %c = tenferro.szmul %infinite, %t : tensor<4xf64>
  // CHECK: %[[I:.*]] = tenferro.convert %[[P]]
  %i = tenferro.convert %p : tensor<4xi1> to tensor<4xf64>
  // CHECK: %[[D:.*]] = tenferro.szmul %[[I]], %[[T]]
  %d = tenferro.szmul %i, %t : tensor<4xf64>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
