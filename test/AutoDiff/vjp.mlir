// RUN: tenferro-opt %s --split-input-file --tenferro-vjp | FileCheck %s
// RUN: tenferro-opt %s --split-input-file --tenferro-vjp="seed-ones keep-primal=false result=g" | FileCheck %s --check-prefix=SEEDED

// y = x * exp(x): the cotangents of both uses of x add.
// CHECK-LABEL: func.func @fan_out_vjp
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>, %[[CT:[^:]*]]: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
// CHECK:         %[[E:.*]] = tenferro.exp %[[X]]
// CHECK:         %[[Y:.*]] = tenferro.mul %[[X]], %[[E]]
// CHECK-DAG:     %[[CT_E:.*]] = tenferro.mul %[[X]], %[[CT]]
// CHECK-DAG:     %[[A:.*]] = tenferro.mul %[[CT]], %[[E]]
// CHECK-DAG:     %[[B:.*]] = tenferro.szmul %[[E]], %[[CT_E]]
// CHECK:         %[[CT_X:.*]] = tenferro.add %[[A]], %[[B]]
// CHECK:         return %[[Y]], %[[CT_X]]

// SEEDED-LABEL: func.func @g
// SEEDED-SAME:    (%[[X:[^:]*]]: tensor<4xf64>) -> tensor<4xf64>
// SEEDED:         tenferro.constant dense<1.000000e+00>
// SEEDED:         return %{{.*}} : tensor<4xf64>
func.func @fan_out(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tenferro.exp %x : tensor<4xf64>
  %y = tenferro.mul %x, %e : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// The gradient of an unused argument is absent, and an integer has none; there is one cotangent per result all the same.
// CHECK-LABEL: func.func @absent_vjp
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<3x2xf64>, %{{[^:]*}}: tensor<4xf64>, %[[I:[^:]*]]: tensor<4xi64>,
// CHECK-SAME:     %[[CT:[^:]*]]: tensor<f64>, %{{[^:]*}}: tensor<4xi64>) -> (tensor<f64>, tensor<4xi64>, tensor<3x2xf64>)
// CHECK-SAME:    tenferro.active = array<i1: true, false>
// CHECK:         %[[B:.*]] = tenferro.broadcast_in_dim %[[CT]] [] : tensor<f64> to tensor<4x2xf64>
// CHECK:         %[[G:.*]] = tenferro.scatter_add %[[B]] at %[[I]] axis 0 extent 3
// CHECK:         return %{{.*}}, %[[I]], %[[G]]
func.func @absent(%x: tensor<3x2xf64>, %y: tensor<4xf64>, %i: tensor<4xi64>) -> (tensor<f64>, tensor<4xi64>) {
  %t = tenferro.take %x[%i] axis 0 : tensor<3x2xf64>, tensor<4xi64>
  %s = tenferro.sum %t [0, 1] : tensor<4x2xf64>
  return %s, %i : tensor<f64>, tensor<4xi64>
}

// -----

// Several results and several arguments are one program; a value returned twice gets the sum.
// CHECK-LABEL: func.func @several_vjp
// CHECK-SAME:    (%[[A:[^:]*]]: tensor<2x3xf64>, %[[B:[^:]*]]: tensor<3x4xf64>, %[[C0:[^:]*]]: tensor<2x4xf64>,
// CHECK-SAME:     %[[C1:[^:]*]]: tensor<2x4xf64>, %[[C2:[^:]*]]: tensor<2x3xf64>)
// CHECK-DAG:     %[[CT:.*]] = tenferro.add %[[C0]], %[[C1]]
// CHECK-DAG:     %[[GB:.*]] = tenferro.dot_general %[[A]], %[[CT]] contracting [0] x [0]
// CHECK-DAG:     %[[TA:.*]] = tenferro.dot_general %[[CT]], %[[B]] contracting [1] x [1]
// CHECK-DAG:     %[[GA:.*]] = tenferro.add %[[C2]], %[[TA]]
// CHECK:         return %{{.*}}, %{{.*}}, %[[A]], %[[GA]], %[[GB]]
func.func @several(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) {
  %c = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x3xf64>, tensor<3x4xf64>
  return %c, %c, %a : tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>
}

// -----

// No result depends on the argument: no gradient, no operation beyond the primal.
// CHECK-LABEL: func.func @constant_vjp
// CHECK-SAME:    tenferro.active = array<i1: false>
// CHECK-NEXT:    %[[S:.*]] = tenferro.sign
// CHECK-NEXT:    return %[[S]] : tensor<4xf64>
func.func @constant(%x: tensor<4xf64>) -> tensor<4xf64> {
  %s = tenferro.sign %x : tensor<4xf64>
  return %s : tensor<4xf64>
}
