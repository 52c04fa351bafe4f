// RUN: tenferro-opt %s --split-input-file --tenferro-linearize="wrt=0" --tenferro-verify-linearity | FileCheck %s

// The slope is computed by the primal and crosses; the linear function has products with tangents alone.
// CHECK-LABEL: func.func @chain.primal
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %[[C:[^:]*]]: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
// CHECK:         %[[E:.*]] = tenferro.exp %[[X]]
// CHECK:         %[[Y:.*]] = tenferro.mul %[[C]], %[[E]]
// CHECK:         return %[[Y]], %[[E]], %[[C]]
// CHECK-LABEL: func.func @chain.linear
// CHECK-SAME:    (%[[E:[^:]*]]: tensor<4xf64>, %[[C:[^:]*]]: tensor<4xf64>, %[[DX:[^:]*]]: tensor<4xf64>) -> tensor<4xf64>
// CHECK-SAME:    tenferro.linear = array<i64: 2>, tenferro.primal = @chain.primal
// CHECK-NEXT:    %[[DE:.*]] = tenferro.szmul %[[E]], %[[DX]]
// CHECK-NEXT:    %[[DY:.*]] = tenferro.mul %[[C]], %[[DE]]
// CHECK-NEXT:    return %[[DY]]
func.func @chain(%x: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %e = tenferro.exp %x : tensor<4xf64>
  %y = tenferro.mul %c, %e : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// A result that does not move has no tangent, and what only it needs is no residual.
// CHECK-LABEL: func.func @absent.primal
// CHECK-SAME:    -> (tensor<4xf64>, tensor<4xf64>) {
// CHECK:         return %{{.*}}, %{{.*}} : tensor<4xf64>, tensor<4xf64>
// CHECK-LABEL: func.func @absent.linear
// CHECK-SAME:    (%[[DX:[^:]*]]: tensor<4xf64>) -> tensor<4xf64>
// CHECK-SAME:    tenferro.active = array<i1: true, false>, tenferro.linear = array<i64: 0>
// CHECK-NEXT:    %[[DA:.*]] = tenferro.neg %[[DX]]
// CHECK-NEXT:    return %[[DA]]
func.func @absent(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %a = tenferro.sub %y, %x : tensor<4xf64>
  %b = tenferro.exp %y : tensor<4xf64>
  return %a, %b : tensor<4xf64>, tensor<4xf64>
}

// -----

// The branch that does not move is a zero, which is written in the linear function and no residual.
// CHECK-LABEL: func.func @branch.linear
// CHECK-SAME:    (%[[P:[^:]*]]: tensor<4xi1>, %[[DX:[^:]*]]: tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT:    %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00> : tensor<4xf64>
// CHECK-NEXT:    %[[D:.*]] = tenferro.select %[[P]], %[[DX]], %[[ZERO]]
// CHECK-NEXT:    return %[[D]]
func.func @branch(%x: tensor<4xf64>, %y: tensor<4xf64>, %p: tensor<4xi1>) -> tensor<4xf64> {
  %c = tenferro.select %p, %x, %y : tensor<4xi1>, tensor<4xf64>
  return %c : tensor<4xf64>
}
