// RUN: tenferro-opt %s --tenferro-activity="function=f wrt=0" | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2xf64> {tenferro.active}, %[[Y:[^:]*]]: tensor<2xf64>, %{{.*}}: tensor<2xi64>)
func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>, %i: tensor<2xi64>) -> (tensor<2xf64>, tensor<2xi1>) {
  // Depends on x and reaches a result.
  // CHECK: tenferro.exp %[[X]] {tenferro.active}
  %a = tenferro.exp %x : tensor<2xf64>
  // Does not depend on x.
  // CHECK: tenferro.exp %[[Y]] :
  %b = tenferro.exp %y : tensor<2xf64>
  // Reaches no result through a differentiable operation.
  // CHECK: tenferro.log %[[X]] :
  %c = tenferro.log %x : tensor<2xf64>
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} :
  %p = tenferro.compare lt, %c, %y : tensor<2xf64>
  // CHECK: tenferro.select {{.*}} {tenferro.active}
  %s = tenferro.select %p, %a, %b : tensor<2xi1>, tensor<2xf64>
  // Reaches nothing.
  // CHECK: tenferro.tanh %{{[^ ]*}} :
  %t = tenferro.tanh %a : tensor<2xf64>
  return %s, %p : tensor<2xf64>, tensor<2xi1>
}
