// RUN: tenferro-opt %s --tenferro-fuse --tenferro-to-linalg | FileCheck %s

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0, d1) -> (d0, 0)>

// Buffers have reversed dimensions; a broadcast is an indexing map, a coordinate linalg.index, a bool i8 in memory.
// CHECK-LABEL: func.func @map
// CHECK: tenferro.kernel "add_mul_select"(%arg0, %arg1, %arg2)
// CHECK-NEXT: ^bb0(%{{.*}}: memref<3x2xf64>, %{{.*}}: memref<3xf64>, %{{.*}}: memref<3x2xi8>, %{{.*}}: memref<3x2xf64>):
// CHECK-NEXT: linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f64, %[[B:.*]]: f64, %[[K:.*]]: i8, %{{.*}}: f64):
// CHECK: arith.addf %[[X]], %[[B]]
// CHECK: linalg.index 0
// CHECK: arith.cmpi ne, %[[K]]
// CHECK: arith.select
// CHECK: linalg.yield %{{.*}} : f64
func.func @map(%x: tensor<2x3xf64>, %b: tensor<3xf64>, %k: tensor<2x3xi1>) -> tensor<2x3xf64> {
  %one = tenferro.constant dense<1.0> : tensor<2x3xf64>
  %r = tenferro.broadcast_in_dim %b [1] : tensor<3xf64> to tensor<2x3xf64>
  %a = tenferro.add %x, %r : tensor<2x3xf64>
  %i = tenferro.iota axis 1 : tensor<2x3xf64>
  %v = tenferro.mul %a, %i : tensor<2x3xf64>
  %w = tenferro.select %k, %v, %one : tensor<2x3xi1>, tensor<2x3xf64>
  return %w : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @views
// CHECK: linalg.generic {indexing_maps = [#[[$SWAP]], #[[$ONE]], #[[$ID]]]
func.func @views(%x: tensor<3x2xf64>, %u: tensor<1x3xf64>) -> tensor<2x3xf64> {
  %t = tenferro.transpose %x [1, 0] : tensor<3x2xf64>
  %r = tenferro.broadcast_in_dim %u [0, 1] : tensor<1x3xf64> to tensor<2x3xf64>
  %a = tenferro.add %t, %r : tensor<2x3xf64>
  %b = tenferro.mul %a, %a : tensor<2x3xf64>
  return %b : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @reduce
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: tenferro.reduction = "max"
// CHECK: %[[E:.*]] = arith.mulf
// CHECK: linalg.yield %[[E]]
func.func @reduce(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>) -> tensor<3xf64> {
  %p = tenferro.mul %x, %y : tensor<2x3xf64>
  %m = tenferro.max %p [0] : tensor<2x3xf64>
  return %m : tensor<3xf64>
}
