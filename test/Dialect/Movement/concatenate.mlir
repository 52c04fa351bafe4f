// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=rows | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-jvp="function=rows wrt=1" | FileCheck %s --check-prefix=JVP
// RUN: tenferro-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @rows
func.func @rows(%a: tensor<2x3xf64>, %b: tensor<1x3xf64>) -> tensor<3x3xf64> {
  // CHECK: tenferro.concatenate %{{.*}}, %{{.*}} axis 0 : tensor<2x3xf64>, tensor<1x3xf64>
  %0 = tenferro.concatenate %a, %b axis 0 : tensor<2x3xf64>, tensor<1x3xf64>
  return %0 : tensor<3x3xf64>
}

// VJP-LABEL: func.func @rows_vjp(
// VJP-SAME:    %[[CT:[a-z0-9]+]]: tensor<3x3xf64>) ->
// VJP-DAG:  %[[DA:.*]] = tenferro.slice %[[CT]] [0, 0] to [2, 3] step [1, 1] : tensor<3x3xf64>
// VJP-DAG:  %[[DB:.*]] = tenferro.slice %[[CT]] [2, 0] to [3, 3] step [1, 1] : tensor<3x3xf64>
// VJP:      return %{{.*}}, %[[DA]], %[[DB]]

// JVP-LABEL: func.func @rows_jvp(
// JVP-SAME:    %[[DB:[a-z0-9]+]]: tensor<1x3xf64>) ->
// JVP:      %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00> : tensor<2x3xf64>
// JVP:      tenferro.concatenate %[[ZERO]], %[[DB]] axis 0

// CHECK-LABEL: func.func @nothing
func.func @nothing(%a: tensor<0xi1>, %b: tensor<0xi1>) -> tensor<0xi1> {
  // CHECK: tenferro.concatenate
  %0 = tenferro.concatenate %a, %b axis 0 : tensor<0xi1>, tensor<0xi1>
  return %0 : tensor<0xi1>
}

// FOLD-LABEL: func.func @one
func.func @one(%a: tensor<2xf64>) -> tensor<2xf64> {
  // FOLD-NEXT: return %{{.*}} : tensor<2xf64>
  %0 = tenferro.concatenate %a axis 0 : tensor<2xf64>
  return %0 : tensor<2xf64>
}
