// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=rows wrt=0,3" | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-jvp="function=rows wrt=2" | FileCheck %s --check-prefix=JVP

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    -> tensor<3xf64>
func.func @rows(%x: tensor<4xf64>, %i: tensor<3xi64>, %f: tensor<3xf64>, %a: tensor<3xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.scatter_prefix %{{.*}}[%{{.*}}] forward %{{.*}}, %{{.*}} window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
  %0 = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
  return %0 : tensor<3xf64>
}

// Backwards for the addends; the product of the factors before it for the operand.
// VJP-LABEL: func.func @rows_vjp(
// VJP-SAME:    %[[F:[a-z0-9]+]]: tensor<3xf64>, %[[A:[a-z0-9]+]]: tensor<3xf64>, %[[CT:[a-z0-9]+]]: tensor<3xf64>) ->
// VJP:      %[[ONES:.*]] = tenferro.constant dense<1.000000e+00> : tensor<4xf64>
// VJP:      %[[P:.*]] = tenferro.scatter_prefix %[[ONES]][%{{.*}}] forward %[[F]]
// VJP:      %[[T:.*]] = tenferro.mul %[[P]], %[[CT]]
// VJP:      %[[DX:.*]] = tenferro.scatter %{{.*}} add %[[T]]
// VJP:      %[[DA:.*]] = tenferro.scatter_prefix %{{.*}} reverse %[[F]], %[[CT]]
// VJP:      return %{{.*}}, %[[DX]], %[[DA]]

// JVP-LABEL: func.func @rows_jvp(
// JVP:      %[[Y:.*]] = tenferro.scatter_prefix
// JVP:      %[[T:.*]] = tenferro.mul %[[Y]], %{{.*}}
// JVP:      tenferro.scatter_prefix %{{.*}} forward %{{.*}}, %[[T]]

// CHECK-LABEL: func.func @dropped
func.func @dropped(%x: tensor<4x2xi32>, %i: tensor<3xi64>, %f: tensor<2x3xi32>, %a: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: tenferro.scatter_prefix %{{.*}} reverse %{{.*}} window [0] inserted [0] map [0] vector 1 fill
  %0 = tenferro.scatter_prefix %x[%i] reverse %f, %a window [0] inserted [0] map [0] vector 1 fill : tensor<4x2xi32>, tensor<3xi64>, tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
