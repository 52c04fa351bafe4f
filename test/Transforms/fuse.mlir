// RUN: tenferro-opt %s --tenferro-fuse | FileCheck %s
// RUN: tenferro-opt %s --tenferro-fuse="max-weight=2" | FileCheck %s --check-prefix=LIMIT
// RUN: tenferro-opt %s --tenferro-fuse="max-weight=30" | FileCheck %s --check-prefix=CUT

// A reduction takes in what only it consumes.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: (%[[C:.*]]: tensor<3xf64>, %[[X:.*]]: tensor<3xf64>)
// CHECK: %[[S:.*]] = tenferro.fused [3](%[[C]], %[[X]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<3xf64>, %[[B:.*]]: tensor<3xf64>):
// CHECK-NEXT: %[[H:.*]] = tenferro.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[P:.*]] = tenferro.mul %[[H]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = tenferro.sum %[[P]] [0]
// CHECK-NEXT: tenferro.yield %[[R]]
// CHECK: return %[[S]]
func.func @loss(%c: tensor<3xf64>, %x: tensor<3xf64>) -> tensor<f64> {
  %h = tenferro.mul %c, %x : tensor<3xf64>
  %p = tenferro.mul %h, %x : tensor<3xf64>
  %s = tenferro.sum %p [0] : tensor<3xf64>
  return %s : tensor<f64>
}

// Broadcasts, coordinates and splat constants are read through; both results leave one group.
// CHECK-LABEL: func.func @bias
// CHECK-NOT: tenferro.broadcast_in_dim
// CHECK: tenferro.fused [2, 3](%arg0, %arg1)
// CHECK: tenferro.broadcast_in_dim
// CHECK: tenferro.add
// CHECK: tenferro.tanh
// CHECK: tenferro.iota
// CHECK: tenferro.mul
// CHECK: tenferro.yield %{{.*}}, %{{.*}} : tensor<2x3xf64>, tensor<2x3xf64>
// LIMIT-LABEL: func.func @bias
// LIMIT: tenferro.tanh
// LIMIT: tenferro.fused [2, 3]
func.func @bias(%x: tensor<2x3xf64>, %b: tensor<3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %r = tenferro.broadcast_in_dim %b [1] : tensor<3xf64> to tensor<2x3xf64>
  %a = tenferro.add %x, %r : tensor<2x3xf64>
  %t = tenferro.tanh %a : tensor<2x3xf64>
  %i = tenferro.iota axis 1 : tensor<2x3xf64>
  %m = tenferro.mul %t, %i : tensor<2x3xf64>
  return %t, %m : tensor<2x3xf64>, tensor<2x3xf64>
}

// A slope is computed in the group that consumes it, after the product, not stored before it.
// CHECK-LABEL: func.func @slope
// CHECK: %[[CT:.*]] = tenferro.dot_general
// CHECK-NEXT: tenferro.fused [4, 4](%arg0, %[[CT]])
// CHECK: tenferro.mul
// CHECK: tenferro.sub
// CHECK: tenferro.mul
func.func @slope(%y: tensor<4x4xf64>, %g: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %one = tenferro.constant dense<1.0> : tensor<4x4xf64>
  %yy = tenferro.mul %y, %y : tensor<4x4xf64>
  %s = tenferro.sub %one, %yy : tensor<4x4xf64>
  %ct = tenferro.dot_general %g, %y contracting [1] x [0] : tensor<4x4xf64>, tensor<4x4xf64>
  %d = tenferro.mul %s, %ct : tensor<4x4xf64>
  return %d : tensor<4x4xf64>
}

// A softmax is max, exp, sum, div: the exponential has two readers and is stored once.
// CHECK-LABEL: func.func @softmax
// CHECK: tenferro.max
// CHECK: tenferro.fused [3, 5]
// CHECK: tenferro.sub
// CHECK: tenferro.exp
// CHECK: tenferro.sum
// CHECK: tenferro.div
func.func @softmax(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %m = tenferro.max %x [0] : tensor<3x5xf64>
  %mb = tenferro.broadcast_in_dim %m [1] : tensor<5xf64> to tensor<3x5xf64>
  %d = tenferro.sub %x, %mb : tensor<3x5xf64>
  %e = tenferro.exp %d : tensor<3x5xf64>
  %s = tenferro.sum %e [0] : tensor<3x5xf64>
  %sb = tenferro.broadcast_in_dim %s [1] : tensor<5xf64> to tensor<3x5xf64>
  %r = tenferro.div %e, %sb : tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}

// A coordinate over two reduced axes is no arithmetic progression: the reduction stays alone.
// CHECK-LABEL: func.func @coordinate_over_two_axes
// CHECK: tenferro.fused [3, 5]
// CHECK: tenferro.yield %{{.*}} : tensor<3x5xf64>
// CHECK: tenferro.sum
func.func @coordinate_over_two_axes(%x: tensor<3x5xf64>) -> tensor<f64> {
  %i = tenferro.iota axis 0 : tensor<3x5xf64>
  %p = tenferro.mul %x, %i : tensor<3x5xf64>
  %s = tenferro.sum %p [0, 1] : tensor<3x5xf64>
  return %s : tensor<f64>
}

// Neither is it over no elements of two axes.
// CHECK-LABEL: func.func @coordinate_over_an_empty_axis
// CHECK: tenferro.fused [3, 0]
// CHECK: tenferro.yield %{{.*}} : tensor<3x0xf64>
// CHECK: tenferro.sum
func.func @coordinate_over_an_empty_axis(%x: tensor<3x0xf64>) -> tensor<f64> {
  %i = tenferro.iota axis 1 : tensor<3x0xf64>
  %p = tenferro.mul %x, %i : tensor<3x0xf64>
  %s = tenferro.sum %p [0, 1] : tensor<3x0xf64>
  return %s : tensor<f64>
}

// What a kernel may hold is bounded by the code it becomes: integers are divided one by one.
// CUT-LABEL: func.func @integer_division
// CUT: tenferro.fused
// CUT-COUNT-2: tenferro.div
// CUT: tenferro.yield
// CUT: tenferro.fused
// CUT-COUNT-2: tenferro.div
// CUT: tenferro.yield
func.func @integer_division(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %a = tenferro.div %x, %y : tensor<8xi32>
  %b = tenferro.div %a, %y : tensor<8xi32>
  %c = tenferro.div %b, %y : tensor<8xi32>
  %d = tenferro.div %c, %y : tensor<8xi32>
  return %d : tensor<8xi32>
}

// CUT-LABEL: func.func @division
// CUT: tenferro.fused
// CUT-COUNT-4: tenferro.div
// CUT: tenferro.yield
// CUT-NOT: tenferro.fused
func.func @division(%x: tensor<8xf64>, %y: tensor<8xf64>) -> tensor<8xf64> {
  %a = tenferro.div %x, %y : tensor<8xf64>
  %b = tenferro.div %a, %y : tensor<8xf64>
  %c = tenferro.div %b, %y : tensor<8xf64>
  %d = tenferro.div %c, %y : tensor<8xf64>
  return %d : tensor<8xf64>
}
