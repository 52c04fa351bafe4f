// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%p: tensor<3xi1>, %a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xf64>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xf64>
  return %0 : tensor<3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[P:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP-DAG:  %[[DA:.*]] = tenferro.select %[[P]], %[[CT]], %{{.*}}
// VJP-DAG:  %[[DB:.*]] = tenferro.select %[[P]], %{{.*}}, %[[CT]]
// VJP:      return %{{.*}}, %[[DA]], %[[DB]]

// CHECK-LABEL: func.func @f32
func.func @f32(%p: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xf32>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%p: tensor<3xi1>, %a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi64> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xi64>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%p: tensor<3xi1>, %a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xi32>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%p: tensor<3xi1>, %a: tensor<3xui8>, %b: tensor<3xui8>) -> tensor<3xui8> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xui8>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @i1
func.func @i1(%p: tensor<3xi1>, %a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> {
  // CHECK: tenferro.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xi1>
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xi1>
  return %0 : tensor<3xi1>
}
