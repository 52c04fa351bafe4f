// RUN: tenferro-opt %s --split-input-file --tenferro-jvp | FileCheck %s
// RUN: tenferro-opt %s --split-input-file --tenferro-jvp="result=g keep-primal=false" | FileCheck %s --check-prefix=TANGENTS

// y = x * exp(x): both operands of the product move, and x is used twice.
// CHECK-LABEL: func.func @fan_out_jvp
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %[[DX:[^:]*]]: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
// CHECK-SAME:    tenferro.active = array<i1: true>
// CHECK:         %[[E:.*]] = tenferro.exp %[[X]]
// CHECK:         %[[DE:.*]] = tenferro.szmul %[[E]], %[[DX]]
// CHECK:         %[[Y:.*]] = tenferro.mul %[[X]], %[[E]]
// CHECK:         %[[A:.*]] = tenferro.mul %[[DX]], %[[E]]
// CHECK:         %[[B:.*]] = tenferro.mul %[[X]], %[[DE]]
// CHECK:         %[[DY:.*]] = tenferro.add %[[A]], %[[B]]
// CHECK:         return %[[Y]], %[[DY]]
// TANGENTS-LABEL: func.func @g
// TANGENTS:         %[[DY:.*]] = tenferro.add
// TANGENTS:         return %[[DY]] : tensor<4xf64>
func.func @fan_out(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tenferro.exp %x : tensor<4xf64>
  %y = tenferro.mul %x, %e : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// Integers, booleans and what does not depend on a tangent have none; a constant factor stays as it is.
// CHECK-LABEL: func.func @absent_jvp
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %[[I:[^:]*]]: tensor<4xi64>, %[[DX:[^:]*]]: tensor<4xf64>)
// CHECK-SAME:    tenferro.active = array<i1: true, false, false, false>
// CHECK:         %[[P:.*]] = tenferro.compare gt, %[[X]]
// CHECK:         %[[Y:.*]] = tenferro.mul %[[X]], %[[C:.*]] :
// CHECK:         %[[DY:.*]] = tenferro.mul %[[DX]], %[[C]]
// CHECK:         return %[[Y]], %[[P]], %[[I]], %[[C]], %[[DY]]
func.func @absent(%x: tensor<4xf64>, %i: tensor<4xi64>) -> (tensor<4xf64>, tensor<4xi1>, tensor<4xi64>, tensor<4xf64>) {
  %c = tenferro.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %p = tenferro.compare gt, %x, %c : tensor<4xf64>
  %y = tenferro.mul %x, %c : tensor<4xf64>
  return %y, %p, %i, %c : tensor<4xf64>, tensor<4xi1>, tensor<4xi64>, tensor<4xf64>
}

// -----

// Linear in the numerator, nonlinear in the denominator: the two rules add.
// CHECK-LABEL: func.func @quotient_jvp
// CHECK-SAME:    (%[[A:[^:]*]]: tensor<f64>, %[[B:[^:]*]]: tensor<f64>, %[[DA:[^:]*]]: tensor<f64>, %[[DB:[^:]*]]: tensor<f64>)
// CHECK-DAG:     %[[Q:.*]] = tenferro.div %[[A]], %[[B]]
// CHECK-DAG:     %[[QB:.*]] = tenferro.div %[[Q]], %[[B]]
// CHECK-DAG:     %[[S:.*]] = tenferro.neg %[[QB]]
// CHECK-DAG:     %[[FROM_B:.*]] = tenferro.szmul %[[S]], %[[DB]]
// CHECK-DAG:     %[[FROM_A:.*]] = tenferro.szmul %{{.*}}, %[[DA]]
// CHECK:         %[[D:.*]] = tenferro.add %[[FROM_B]], %[[FROM_A]]
// CHECK:         return %[[Q]], %[[D]]
func.func @quotient(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  %q = tenferro.div %a, %b : tensor<f64>
  return %q : tensor<f64>
}

// -----

// The identity: the tangent itself, without an operation.
// CHECK-LABEL: func.func @identity_jvp
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %[[DX:[^:]*]]: tensor<4xf64>)
// CHECK-NEXT:    return %[[X]], %[[DX]]
func.func @identity(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
