// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=half_of_square | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-cleanup-pipeline | FileCheck %s --check-prefix=CLEAN

// x * detach(x): the slope is detach(x) alone.
// CHECK-LABEL: func.func @half_of_square
func.func @half_of_square(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.detach %{{.*}} : tensor<4xf64>
  %0 = tenferro.detach %x : tensor<4xf64>
  %1 = tenferro.mul %x, %0 : tensor<4xf64>
  return %1 : tensor<4xf64>
}

// VJP-LABEL: func.func @half_of_square_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[D:.*]] = tenferro.detach %[[X]] : tensor<4xf64>
// VJP:      %[[DX:.*]] = tenferro.mul %[[CT]], %[[D]] : tensor<4xf64>
// VJP-NOT:  tenferro.add
// VJP:      return %{{.*}}, %[[DX]]

// Nothing is left of it where a program runs.
// CLEAN-LABEL: func.func @half_of_square
// CLEAN-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf64>
// CLEAN-NOT:  tenferro.detach
// CLEAN:      tenferro.mul %[[X]], %[[X]]

// CHECK-LABEL: func.func @bool_scalar
func.func @bool_scalar(%x: tensor<i1>) -> tensor<i1> {
  // CHECK: tenferro.detach %{{.*}} : tensor<i1>
  %0 = tenferro.detach %x : tensor<i1>
  return %0 : tensor<i1>
}
