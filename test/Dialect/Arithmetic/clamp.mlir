// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>, %lower: tensor<2x3xf64>, %upper: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[LOWER:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[UPPER:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.clamp %[[X]], %[[LOWER]], %[[UPPER]]
// VJP-DAG:  tenferro.compare lt, %[[LOWER]], %[[X]]
// VJP-DAG:  tenferro.compare lt, %[[X]], %[[UPPER]]
// VJP-DAG:  tenferro.compare lt, %[[X]], %[[LOWER]]
// VJP-DAG:  tenferro.compare lt, %[[LOWER]], %[[UPPER]]
// VJP-DAG:  %[[ABOVE:.*]] = tenferro.compare lt, %[[UPPER]], %[[X]]
// VJP-DAG:  %[[MINE:.*]] = tenferro.mul %[[ABOVE]], %{{.*}}
// VJP-DAG:  %[[DU:.*]] = tenferro.select %[[MINE]], %[[CT]], %{{.*}}
// VJP:      return %[[Y]], %{{.*}}, %{{.*}}, %[[DU]]

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>, %lower: tensor<2x3xf32>, %upper: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%x: tensor<2x3xi64>, %lower: tensor<2x3xi64>, %upper: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi64>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%x: tensor<2x3xi32>, %lower: tensor<2x3xi32>, %upper: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi32>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<2x3xui8>, %lower: tensor<2x3xui8>, %upper: tensor<2x3xui8>) -> tensor<2x3xui8> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xui8>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>, %lower: tensor<f64>, %upper: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<f64>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>, %lower: tensor<0x3xf64>, %upper: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.clamp %x, %lower, %upper : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
