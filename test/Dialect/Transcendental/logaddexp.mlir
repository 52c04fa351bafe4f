// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.logaddexp %{{.*}}, %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.logaddexp %a, %b : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.logaddexp %[[A]], %[[B]]
// VJP:      %[[D:.*]] = tenferro.sub %[[A]], %[[B]]
// VJP:      %[[DISTANCE:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[D]]
// VJP-DAG:  %[[FIRST:.*]] = tenferro.sigmoid %[[DISTANCE]]
// VJP-DAG:  %[[SA:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[FIRST]]
// VJP-DAG:  %[[DA:.*]] = tenferro.mul %[[SA]], %[[CT]]
// VJP-DAG:  %[[MINUS:.*]] = tenferro.neg %[[DISTANCE]]
// VJP-DAG:  %[[SECOND:.*]] = tenferro.sigmoid %[[MINUS]]
// VJP-DAG:  %[[SB:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[SECOND]]
// VJP-DAG:  %[[DB:.*]] = tenferro.mul %[[SB]], %[[CT]]
// VJP:      return %[[Y]], %[[DA]], %[[DB]]

// CHECK-LABEL: func.func @f32
func.func @f32(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.logaddexp %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.logaddexp %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.logaddexp %{{.*}}, %{{.*}} : tensor<f64>
  %0 = tenferro.logaddexp %a, %b : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%a: tensor<0x3xf64>, %b: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.logaddexp %{{.*}}, %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.logaddexp %a, %b : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
