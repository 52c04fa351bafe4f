// RUN: tenferro-opt %s --tenferro-lower-residuals --split-input-file | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=f wrt=0 seed-ones keep-primal=false" --split-input-file | FileCheck %s --check-prefix=DERIVED
// RUN: tenferro-opt %s --tenferro-vjp="function=f wrt=0 seed-ones keep-primal=false" --tenferro-lower-residuals --split-input-file | FileCheck %s --check-prefix=LOWERED

// The kept value takes the place of the residual and of the other uses of its producer, which goes.
// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf64>, %[[KEPT:.*]]: tensor<2xf64>)
// CHECK-NEXT:    %[[Z:.*]] = tenferro.mul %[[KEPT]], %[[KEPT]]
// CHECK-NEXT:    return %[[Z]]

// Differentiation looks through the residual to exp.
// DERIVED-LABEL: func.func @f_vjp
// DERIVED: tenferro.exp

// What the gradient reads was kept: nothing is computed again.
// LOWERED-LABEL: func.func @f_vjp
// LOWERED-SAME:    (%[[X:.*]]: tensor<2xf64>, %[[KEPT:.*]]: tensor<2xf64>)
// LOWERED-NOT:     tenferro.exp
// LOWERED:         return %{{.*}} : tensor<2xf64>
func.func @f(%x: tensor<2xf64>, %kept: tensor<2xf64>) -> tensor<2xf64> {
  %y = tenferro.exp %x : tensor<2xf64>
  %r = tenferro.residual %y, %kept : tensor<2xf64>
  %z = tenferro.mul %y, %r : tensor<2xf64>
  return %z : tensor<2xf64>
}

// -----

// A perturbation moves derivatives and no value.
// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2xf64>, %{{[^:]*}}: tensor<2xf64>)
// CHECK-NEXT:    %[[E:.*]] = tenferro.exp %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = tenferro.mul %[[E]], %[[E]]
// CHECK-NEXT:    return %[[Y]]

// DERIVED-LABEL: func.func @f_vjp
// LOWERED-LABEL: func.func @f_vjp
// LOWERED-NOT:     tenferro.perturb
// LOWERED:         return
func.func @f(%x: tensor<2xf64>, %p: tensor<2xf64>) -> tensor<2xf64> {
  %e = tenferro.exp %x : tensor<2xf64>
  %h = tenferro.perturb %e, %p : tensor<2xf64>
  %y = tenferro.mul %h, %h : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

// One behind the other.
// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%{{[^:]*}}: tensor<2xf64>, %[[KEPT:[^:]*]]: tensor<2xf64>)
// CHECK-NEXT:    %[[Y:.*]] = tenferro.mul %[[KEPT]], %[[KEPT]]
// CHECK-NEXT:    return %[[Y]]

// DERIVED-LABEL: func.func @f_vjp
// LOWERED-LABEL: func.func @f_vjp
func.func @f(%x: tensor<2xf64>, %kept: tensor<2xf64>) -> tensor<2xf64> {
  %e = tenferro.exp %x : tensor<2xf64>
  %h = tenferro.perturb %e, %x : tensor<2xf64>
  %r = tenferro.residual %h, %kept : tensor<2xf64>
  %y = tenferro.mul %h, %r : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

// A perturbed argument is itself.
// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2xf64>
// CHECK-NEXT:    return %[[X]]

// DERIVED-LABEL: func.func @f_vjp
// LOWERED-LABEL: func.func @f_vjp
func.func @f(%x: tensor<2xf64>, %p: tensor<2xf64>) -> tensor<2xf64> {
  %h = tenferro.perturb %x, %p : tensor<2xf64>
  return %h : tensor<2xf64>
}
