// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f32_to_f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f32_to_f64
func.func @f32_to_f64(%x: tensor<3xf32>) -> tensor<3xf64> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xf32> to tensor<3xf64>
  %0 = tenferro.convert %x : tensor<3xf32> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// VJP-LABEL: func.func @f32_to_f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.cast %[[CT]] : tensor<3xf64> to tensor<3xf32>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @i32_to_i64
func.func @i32_to_i64(%x: tensor<3xi32>) -> tensor<3xi64> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xi32> to tensor<3xi64>
  %0 = tenferro.convert %x : tensor<3xi32> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @i32_to_f64
func.func @i32_to_f64(%x: tensor<3xi32>) -> tensor<3xf64> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xi32> to tensor<3xf64>
  %0 = tenferro.convert %x : tensor<3xi32> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @ui8_to_i32
func.func @ui8_to_i32(%x: tensor<3xui8>) -> tensor<3xi32> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xui8> to tensor<3xi32>
  %0 = tenferro.convert %x : tensor<3xui8> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @ui8_to_f32
func.func @ui8_to_f32(%x: tensor<3xui8>) -> tensor<3xf32> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xui8> to tensor<3xf32>
  %0 = tenferro.convert %x : tensor<3xui8> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i1_to_ui8
func.func @i1_to_ui8(%x: tensor<3xi1>) -> tensor<3xui8> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xi1> to tensor<3xui8>
  %0 = tenferro.convert %x : tensor<3xi1> to tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @i1_to_f64
func.func @i1_to_f64(%x: tensor<3xi1>) -> tensor<3xf64> {
  // CHECK: tenferro.convert %{{.*}} : tensor<3xi1> to tensor<3xf64>
  %0 = tenferro.convert %x : tensor<3xi1> to tensor<3xf64>
  return %0 : tensor<3xf64>
}
