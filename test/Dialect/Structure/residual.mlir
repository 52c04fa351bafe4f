// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @saved
func.func @saved(%y: tensor<4xf64>, %s: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.residual %{{.*}}, %{{.*}} : tensor<4xf64>
  %0 = tenferro.residual %y, %s : tensor<4xf64>
  return %0 : tensor<4xf64>
}
