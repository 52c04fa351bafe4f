// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// A group of 32 threads per output: lanes add elements l, l + 32, ... from -0.0, then the tree over the lanes.
// CHECK-LABEL: gpu.func @sum_0_sum(
// CHECK-SAME:    %[[X:.*]]: memref<200xf32>, %[[OUT:.*]]: memref<2xf32>) workgroup(%[[LANES:.*]] : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>
// CHECK-DAG:     %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG:     %[[LANE:.*]] = gpu.thread_id x
// CHECK-DAG:     %[[ROW:.*]] = gpu.block_id x
// CHECK:         %[[SUM:.*]] = scf.for %[[K:.*]] = %[[LANE]] to %c100 step %c32 iter_args(%[[ACC:.*]] = %[[NEUTRAL]]) -> (f32) {
// CHECK:           %[[AT:.*]] = arith.muli %[[K]], %c2
// CHECK:           %[[PLACE:.*]] = arith.addi %[[AT]], %[[ROW]]
// CHECK:           %[[E:.*]] = memref.load %[[X]][%[[PLACE]]]
// CHECK:           arith.addf %[[ACC]], %[[E]] : f32
// CHECK:         memref.store %[[SUM]], %[[LANES]][%[[LANE]]]
// CHECK:         gpu.barrier
// CHECK:         scf.for %[[STEP:.*]] = %c0 to %c5 step %c1 {
// CHECK:           %[[HALF:.*]] = arith.shrui %c16, %[[STEP]]
// CHECK:           %[[LOW:.*]] = arith.cmpi slt, %[[LANE]], %[[HALF]]
// CHECK:           scf.if %[[LOW]] {
// CHECK:             arith.addf
// CHECK:           gpu.barrier
// CHECK:         memref.store %{{.*}}, %[[OUT]][%[[ROW]]]
// CHECK-LABEL: func.func @sum(
// CHECK:         gpu.launch_func @sum_kernels::@sum_0_sum blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
func.func @sum(%x: tensor<2x100xf32>) -> tensor<2xf32> {
  %0 = tenferro.sum %x [1] : tensor<2x100xf32>
  return %0 : tensor<2xf32>
}

// Blocks of 4096: 3 groups, then one for their results, through a buffer of its own.
// CHECK-LABEL: gpu.func @blocks_0_sum(
// CHECK-SAME:    memref<10000xf64>, %{{.*}}: memref<3xf64>)
// CHECK:         %[[FIRST:.*]] = arith.muli %{{.*}}, %c4096
// CHECK:         %[[REST:.*]] = arith.subi %c10000, %[[FIRST]]
// CHECK:         arith.minui %[[REST]], %c4096
// CHECK-LABEL: gpu.func @blocks_1_sum(
// CHECK-SAME:    memref<3xf64>, %{{.*}}: memref<1xf64>)
// CHECK-LABEL: func.func @blocks(
// CHECK:         %[[PARTS:.*]] = memref.alloc() : memref<3xf64>
// CHECK:         gpu.launch_func @blocks_kernels::@blocks_0_sum blocks in (%c3, {{.*}} args(%{{.*}}, %[[PARTS]] : memref<3xf64>)
// CHECK:         gpu.launch_func @blocks_kernels::@blocks_1_sum blocks in (%c1, {{.*}} args(%[[PARTS]] : memref<3xf64>
// CHECK:         memref.dealloc %[[PARTS]]
func.func @blocks(%x: tensor<100x100xf64>) -> tensor<f64> {
  %0 = tenferro.sum %x [0, 1] : tensor<100x100xf64>
  return %0 : tensor<f64>
}

// The largest float, with NaN and the order of zeros written out; bytes are unsigned, other integers signed.
// CHECK-LABEL: gpu.func @max_float_0_max(
// CHECK-DAG:     arith.constant 0xFF800000 : f32
// CHECK-NOT:     arith.maximumf
// CHECK:         arith.cmpf oeq
// CHECK:         arith.cmpf ogt
// CHECK-LABEL: gpu.func @max_bytes_0_max(
// CHECK:         arith.maxui {{.*}} : i8
// CHECK-LABEL: gpu.func @min_int_0_min(
// CHECK-DAG:     arith.constant 9223372036854775807 : i64
// CHECK:         arith.minsi {{.*}} : i64
func.func @max_float(%x: tensor<5xf32>) -> tensor<f32> {
  %0 = tenferro.max %x [0] : tensor<5xf32>
  return %0 : tensor<f32>
}
func.func @max_bytes(%x: tensor<5xui8>) -> tensor<ui8> {
  %0 = tenferro.max %x [0] : tensor<5xui8>
  return %0 : tensor<ui8>
}
func.func @min_int(%x: tensor<5xi64>) -> tensor<i64> {
  %0 = tenferro.min %x [0] : tensor<5xi64>
  return %0 : tensor<i64>
}

// The sum of nothing is +0, and nothing is read.
// CHECK-LABEL: gpu.func @nothing_0_sum(%{{.*}}: memref<2xf32>) kernel
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         memref.store %[[ZERO]]
func.func @nothing(%x: tensor<2x0xf32>) -> tensor<2xf32> {
  %0 = tenferro.sum %x [1] : tensor<2x0xf32>
  return %0 : tensor<2xf32>
}
