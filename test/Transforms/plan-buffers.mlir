// RUN: tenferro-opt %s --tenferro-plan-buffers | FileCheck %s

// A launch writes to the result itself, also behind a reshape; a transpose is a view.
// CHECK-LABEL: func.func @results
// CHECK-SAME: tenferro.arena_bytes = 0
// CHECK: tenferro.exp %arg0 {tenferro.storage = ["result 0"]}
// CHECK: tenferro.reshape %{{.*}} {tenferro.storage = ["result 0"]}
// CHECK: tenferro.transpose %{{.*}} {tenferro.storage = ["view"]}
// CHECK: tenferro.neg %{{.*}} {tenferro.storage = ["result 1"]}
func.func @results(%x: tensor<6xf64>, %y: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<3x2xf64>) {
  %e = tenferro.exp %x : tensor<6xf64>
  %r = tenferro.reshape %e : tensor<6xf64> to tensor<2x3xf64>
  %t = tenferro.transpose %y [1, 0] : tensor<2x3xf64>
  %n = tenferro.neg %t : tensor<3x2xf64>
  return %r, %n : tensor<2x3xf64>, tensor<3x2xf64>
}

// Memory is used again: %b is computed in place of %a, %c in a block of its own as %b lives on.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: tenferro.arena_bytes = 128
// CHECK: tenferro.exp %arg0 {tenferro.storage = ["arena 0"]}
// CHECK: tenferro.neg %{{.*}} {tenferro.storage = ["arena 0"]}
// CHECK: tenferro.sum %{{.*}} {tenferro.storage = ["arena 64"]}
// CHECK: tenferro.broadcast_in_dim %{{.*}} {tenferro.storage = ["view"]}
// CHECK: tenferro.div %{{.*}} {tenferro.storage = ["result 0"]}
func.func @reuse(%x: tensor<4xf64>) -> tensor<4xf64> {
  %a = tenferro.exp %x : tensor<4xf64>
  %b = tenferro.neg %a : tensor<4xf64>
  %c = tenferro.sum %b [0] : tensor<4xf64>
  %d = tenferro.broadcast_in_dim %c [] : tensor<f64> to tensor<4xf64>
  %e = tenferro.div %b, %d : tensor<4xf64>
  return %e : tensor<4xf64>
}

// A reshape reads contiguous memory: of an argument the caller provides it, of a transpose it is copied.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: %arg0: tensor<2x3xf64> {tenferro.contiguous}
// CHECK-SAME: %arg1: tensor<2x3xf64>)
// CHECK: tenferro.reshape %arg0 {tenferro.storage = ["view"]}
// CHECK: tenferro.transpose %arg1 [1, 0] {tenferro.storage = ["view"]}
// CHECK: tenferro.reshape %{{.*}} {tenferro.storage = ["copy 0"]}
func.func @reshapes(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>) -> tensor<6xf64> {
  %a = tenferro.reshape %x : tensor<2x3xf64> to tensor<6xf64>
  %t = tenferro.transpose %y [1, 0] : tensor<2x3xf64>
  %b = tenferro.reshape %t : tensor<3x2xf64> to tensor<6xf64>
  %c = tenferro.add %a, %b : tensor<6xf64>
  return %c : tensor<6xf64>
}

// A reshape that only adds or drops extents of 1 is a view of anything.
// CHECK-LABEL: func.func @unit_extents
// CHECK-SAME: (%arg0: tensor<2x3xf64>)
// CHECK: tenferro.reshape %{{.*}} {tenferro.storage = ["view"]}
func.func @unit_extents(%x: tensor<2x3xf64>) -> tensor<3x1x2xf64> {
  %t = tenferro.transpose %x [1, 0] : tensor<2x3xf64>
  %r = tenferro.reshape %t : tensor<3x2xf64> to tensor<3x1x2xf64>
  %n = tenferro.neg %r : tensor<3x1x2xf64>
  return %n : tensor<3x1x2xf64>
}
