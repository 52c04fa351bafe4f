// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=moved | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @moved
func.func @moved(%y: tensor<4xf64>, %s: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.perturb %{{.*}}, %{{.*}} : tensor<4xf64>
  %0 = tenferro.perturb %y, %s : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// VJP-LABEL: func.func @moved_vjp(
// VJP-SAME:    %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      return %{{.*}}, %[[CT]], %[[CT]]
