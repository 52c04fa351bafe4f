// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @moved
func.func @moved(%y: tensor<4xf64>, %s: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.perturb %{{.*}}, %{{.*}} : tensor<4xf64>
  %0 = tenferro.perturb %y, %s : tensor<4xf64>
  return %0 : tensor<4xf64>
}
