// RUN: tenferro-opt %s --tenferro-cpu-kernels | FileCheck %s
// RUN: tenferro-opt %s --tenferro-cpu-kernels=level=3 | FileCheck %s --check-prefix=V3
// RUN: tenferro-opt %s --tenferro-cpu-kernels=stage=asm | FileCheck %s --check-prefix=ASM
// RUN: tenferro-opt %s '--tenferro-cpu-kernels=level=3 stage=asm' | FileCheck %s --check-prefix=SPILLS
// RUN: tenferro-opt %s --tenferro-cpu-kernels=stage=llvm | FileCheck %s --check-prefix=LLVM

// A map kernel: rows, vectors, one masked vector. Nothing is fused that was not written.
// CHECK-LABEL: llvm.func @map0(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: arith.addf %[[P]], %{{.*}} : vector<16xf32>
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// V3-LABEL: llvm.func @map0(
// V3: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// ASM-LABEL: map0:
// ASM-NOT: vfmadd
// ASM: vmulps {{.*}}%zmm
// ASM-NOT: vfmadd
// ASM: vmovups {{.*}} {%k1}
// ASM-LABEL: row1:
// LLVM-NOT: scf.
// LLVM-NOT: arith.
func.func @multiply_add(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %a : f32
    %r = arith.subf %q, %b : f32
    linalg.yield %r : f32
  }
  return
}

// A sum keeps 32 lanes: two vectors of 16 in the row kernel, 32 vectors on the stack of the column kernel. Lanes without an
// element hold -0.0.
// CHECK-LABEL: llvm.func @row1(
// CHECK-DAG: arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK-LABEL: llvm.func @column1(
// CHECK: llvm.alloca
func.func @sum(%x: memref<?x?xf32>, %out: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%out : memref<?xf32>) attrs = {tenferro.reduction = "sum"} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// A long body may run out of registers: the stack is aligned to what is spilled, which else would lie across lines and pages.
// SPILLS-LABEL: map0:
// SPILLS-NOT: andq ${{.*}}, %rsp
// SPILLS-LABEL: row1:
// SPILLS-LABEL: map2_loop:
// SPILLS: andq $-32, %rsp
func.func @complement(%x: memref<?xf64>, %out: memref<?xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%out : memref<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %r = math.erfc %a : f64
    linalg.yield %r : f64
  }
  return
}
