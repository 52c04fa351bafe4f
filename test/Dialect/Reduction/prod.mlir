// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-jvp="function=three result=j keep-primal=false" | FileCheck %s --check-prefix=JVP
// RUN: tenferro-opt %s --tenferro-jvp="function=along_nothing result=j keep-primal=false" | FileCheck %s --check-prefix=NOTHING
// RUN: tenferro-run %s --entry=three 3xf64=2,-3,4 | FileCheck %s --check-prefix=VALUE
// RUN: tenferro-run %s --entry=three --tier=0 3xf64=2,-3,4 | FileCheck %s --check-prefix=VALUE
// VALUE: {{^}}f64=-24{{$}}
// RUN: tenferro-run %s --entry=ui8 2x3xu8=20,13,255,255,1,0 | FileCheck %s --check-prefix=WRAPS
// RUN: tenferro-run %s --entry=ui8 --tier=0 2x3xu8=20,13,255,255,1,0 | FileCheck %s --check-prefix=WRAPS
// WRAPS: {{^}}3xu8=4,1,0{{$}}

// The halves' product rule: no division anywhere.
// CHECK-LABEL: func.func @three
// JVP-LABEL: func.func @j(
// JVP-SAME:    %[[X:[a-z0-9]+]]: tensor<3xf64>, %[[DX:[a-z0-9]+]]: tensor<3xf64>) -> tensor<f64>
// JVP-NOT:   tenferro.div
// JVP:       %[[A:.*]] = tenferro.slice %[[X]] [0] to [1]
// JVP:       %[[B:.*]] = tenferro.slice %[[X]] [1] to [2]
// JVP:       tenferro.mul %[[A]], %[[B]]
// JVP:       tenferro.szmul
// JVP:       return
func.func @three(%x: tensor<3xf64>) -> tensor<f64> {
  // CHECK: tenferro.prod %{{.*}} [0] : tensor<3xf64>
  %0 = tenferro.prod %x [0] : tensor<3xf64>
  return %0 : tensor<f64>
}

// A product of nothing is 1, whatever moves.
// CHECK-LABEL: func.func @along_nothing
// NOTHING-LABEL: func.func @j(
// NOTHING-SAME:  tenferro.active = array<i1: false>
func.func @along_nothing(%x: tensor<0x3xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.prod %{{.*}} [0] : tensor<0x3xf64>
  %0 = tenferro.prod %x [0] : tensor<0x3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<2x3xui8>) -> tensor<3xui8> {
  // CHECK: tenferro.prod %{{.*}} [0] : tensor<2x3xui8>
  %0 = tenferro.prod %x [0] : tensor<2x3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%x: tensor<2x3xi64>) -> tensor<i64> {
  // CHECK: tenferro.prod %{{.*}} [0, 1] : tensor<2x3xi64>
  %0 = tenferro.prod %x [0, 1] : tensor<2x3xi64>
  return %0 : tensor<i64>
}
