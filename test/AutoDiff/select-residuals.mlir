// RUN: tenferro-opt %s --split-input-file --tenferro-linearize="wrt=0" --tenferro-select-residuals --tenferro-verify-linearity | FileCheck %s

// Eight bytes and a broadcast instead of eight thousand.
// CHECK-LABEL: func.func @scaled.primal
// CHECK-SAME:    -> (tensor<1000xf64>, tensor<f64>)
// CHECK-LABEL: func.func @scaled.linear
// CHECK-SAME:    (%[[E:[^:]*]]: tensor<f64> {tenferro.residual = "kept: tenferro.exp, 8 bytes"}, %[[DX:[^:]*]]: tensor<1000xf64>)
// CHECK-SAME:    tenferro.linear = array<i64: 1>
// CHECK-NEXT:    %[[B:.*]] = tenferro.broadcast_in_dim %[[E]] [] {tenferro.residual = "recomputed: cheap, spares 8000 bytes"}
// CHECK-NEXT:    tenferro.mul %[[DX]], %[[B]]
func.func @scaled(%x: tensor<1000xf64>, %s: tensor<f64>) -> tensor<1000xf64> {
  %e = tenferro.exp %s : tensor<f64>
  %b = tenferro.broadcast_in_dim %e [] : tensor<f64> to tensor<1000xf64>
  %y = tenferro.mul %x, %b : tensor<1000xf64>
  return %y : tensor<1000xf64>
}

// -----

// A comparison of a bound argument with a constant is done again; nothing is kept.
// CHECK-LABEL: func.func @mask.primal
// CHECK:         return %{{.*}}, %{{.*}} : tensor<8xf64>, tensor<8xf64>
// CHECK-LABEL: func.func @mask.linear
// CHECK-SAME:    (%[[S:[^:]*]]: tensor<8xf64> {tenferro.residual = "kept: argument 1, bound anyway"}, %[[DX:[^:]*]]: tensor<8xf64>)
// CHECK-DAG:     %[[ZERO:.*]] = tenferro.constant {tenferro.residual = {{.*}}} dense<0.000000e+00>
// CHECK-DAG:     %[[P:.*]] = tenferro.compare gt, %[[S]], %[[ZERO]]
// CHECK:         tenferro.select %[[P]], %[[DX]], %{{.*}}
func.func @mask(%x: tensor<8xf64>, %s: tensor<8xf64>) -> tensor<8xf64> {
  %zero = tenferro.constant dense<0.0> : tensor<8xf64>
  %p = tenferro.compare gt, %s, %zero : tensor<8xf64>
  %y = tenferro.select %p, %x, %s : tensor<8xi1>, tensor<8xf64>
  return %y : tensor<8xf64>
}

// -----

// Eight booleans in one byte each are less than the eight numbers they were compared from.
// CHECK-LABEL: func.func @cut.primal
// CHECK-SAME:    -> (tensor<8xf64>, tensor<8xi1>)
// CHECK-LABEL: func.func @cut.linear
// CHECK-SAME:    (%{{[^:]*}}: tensor<8xi1> {tenferro.residual = "kept: tenferro.compare, 8 bytes"}, %{{[^:]*}}: tensor<8xf64>)
func.func @cut(%x: tensor<8xf64>, %s: tensor<8xf64>) -> tensor<8xf64> {
  %e = tenferro.exp %s : tensor<8xf64>
  %t = tenferro.tanh %s : tensor<8xf64>
  %p = tenferro.compare gt, %e, %t : tensor<8xf64>
  %y = tenferro.select %p, %x, %s : tensor<8xi1>, tensor<8xf64>
  return %y : tensor<8xf64>
}
