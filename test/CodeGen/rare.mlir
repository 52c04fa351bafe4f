// RUN: tenferro-opt %s --tenferro-cpu-kernels | FileCheck %s
// RUN: tenferro-opt %s --tenferro-cpu-kernels=stage=ir | FileCheck %s --check-prefix=IR

// What only rare arguments need is behind a branch that any lane takes: here the scaling of subnormals, and the answers for 0,
// negative numbers, infinity and NaN.
// CHECK-LABEL: llvm.func internal @map0_loop(
// CHECK: %[[SPECIAL:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK: %[[WORD:.*]] = llvm.bitcast %[[SPECIAL]] : vector<8xi1> to i8
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[WORD]], %{{.*}} : i8
// CHECK: %[[RARELY:.*]] = llvm.intr.expect %[[ANY]], %{{.*}} : i1
// CHECK: %[[SCALED:.*]]:2 = scf.if %[[RARELY]] -> (vector<8xf64>, vector<8xf64>) {
// CHECK:   arith.mulf
// CHECK:   arith.select %[[SPECIAL]]
// CHECK:   arith.select %[[SPECIAL]]
// CHECK: } else {
// CHECK:   scf.yield
// CHECK: }
// CHECK: arith.divf
// CHECK: scf.if
// CHECK:   arith.cmpf oeq
// CHECK:   arith.select %[[SPECIAL]]
// CHECK: } else {
// The code generator knows that the branch is rare.
// IR-LABEL: define internal void @map0_loop(
// IR-NOT: llvm.expect
// IR: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
func.func @log(%x: memref<?xf64>, %out: memref<?xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%out : memref<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %r = math.log %a : f64
    linalg.yield %r : f64
  }
  return
}

// A long rare part is a function that all kernels of the module share, and what computes nothing (an error term of the last
// product here) does not hold its operands in the loop. Of a long kernel only the loop over vectors is generated.
// CHECK-LABEL: llvm.func internal @map1_loop(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %[[N:.*]]: i64)
// CHECK: %[[STACK:.*]] = llvm.alloca
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK: %[[FAILS:.*]] = arith.cmpf ugt
// CHECK-NOT: arith.select
// CHECK: scf.if {{.*}} -> (vector<8xf64>, vector<8xf64>, vector<8xi64>) {
// CHECK-NEXT: llvm.store %{{.*}}, %[[STACK]]
// CHECK-NEXT: llvm.call @rare0(%[[STACK]])
// CHECK: arith.select %[[FAILS]]
// CHECK: llvm.func internal @rare0(%{{.*}}: !llvm.ptr)
// CHECK-LABEL: llvm.func @map1(
// CHECK: llvm.call tail @tenferro_run_vector_loop(
// CHECK-LABEL: llvm.mlir.global internal constant @map1_shape(dense<[8, 1, 2, 8, 8]>
// CHECK-LABEL: llvm.func internal @map2_loop(
// CHECK: llvm.call @rare0(
// CHECK-NOT: llvm.func internal
// IR: define internal void @rare0(ptr %0) #[[RARE:[0-9]+]]
// IR: attributes #[[RARE]] = { {{.*}}"no_caller_saved_registers"{{.*}}"target-features"="-vzeroupper"
func.func @sin(%x: memref<?xf64>, %out: memref<?xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%out : memref<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %r = math.sin %a : f64
    linalg.yield %r : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%out : memref<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %d = arith.addf %a, %a : f64
    %r = math.cos %d : f64
    linalg.yield %r : f64
  }
  return
}
