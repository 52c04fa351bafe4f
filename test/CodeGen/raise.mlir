// RUN: tenferro-opt %s --tenferro-cpu-kernels | FileCheck %s

// Fallible operations are numbered in order: statuses are ordinal * 256 + error, the smallest wins.
// CHECK-LABEL: llvm.func @map0(
// CHECK: scf.for {{.*}} -> (i64)
// CHECK: %[[FIRST:.*]] = arith.constant 3 : i64
// CHECK: arith.minui %{{.*}}, %[[FIRST]] : i64
// CHECK: %[[SECOND:.*]] = arith.constant 257 : i64
// CHECK: arith.minui %{{.*}}, %[[SECOND]] : i64
func.func @two_errors(%x: memref<?xi32>, %out: memref<?xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xi32>) outs(%out : memref<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %negative = arith.cmpi slt, %a, %zero : i32
    tenferro.raise_if %negative error 3
    %isZero = arith.cmpi eq, %a, %zero : i32
    tenferro.raise_if %isZero error 1
    linalg.yield %a : i32
  }
  return
}
