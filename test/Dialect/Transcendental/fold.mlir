// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// A function of a constant is left to the one expansion of the function.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xf64>, tensor<2xf64>) {
  %one = tenferro.constant dense<1.0> : tensor<2xf64>
  // CHECK-DAG: tenferro.exp
  %a = tenferro.exp %one : tensor<2xf64>
  // CHECK-DAG: tenferro.sigmoid
  %b = tenferro.sigmoid %one : tensor<2xf64>
  return %a, %b : tensor<2xf64>, tensor<2xf64>
}
