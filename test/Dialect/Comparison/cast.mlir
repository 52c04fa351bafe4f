// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64_to_f32 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64_to_f32
func.func @f64_to_f32(%x: tensor<3xf64>) -> tensor<3xf32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf64> to tensor<3xf32>
  %0 = tenferro.cast %x : tensor<3xf64> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// VJP-LABEL: func.func @f64_to_f32_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.cast %[[CT]] : tensor<3xf32> to tensor<3xf64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @f64_to_i64
func.func @f64_to_i64(%x: tensor<3xf64>) -> tensor<3xi64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf64> to tensor<3xi64>
  %0 = tenferro.cast %x : tensor<3xf64> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @f64_to_i32
func.func @f64_to_i32(%x: tensor<3xf64>) -> tensor<3xi32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf64> to tensor<3xi32>
  %0 = tenferro.cast %x : tensor<3xf64> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @f64_to_ui8
func.func @f64_to_ui8(%x: tensor<3xf64>) -> tensor<3xui8> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf64> to tensor<3xui8>
  %0 = tenferro.cast %x : tensor<3xf64> to tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @f64_to_i1
func.func @f64_to_i1(%x: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf64> to tensor<3xi1>
  %0 = tenferro.cast %x : tensor<3xf64> to tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @f32_to_f64
func.func @f32_to_f64(%x: tensor<3xf32>) -> tensor<3xf64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf32> to tensor<3xf64>
  %0 = tenferro.cast %x : tensor<3xf32> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @f32_to_i64
func.func @f32_to_i64(%x: tensor<3xf32>) -> tensor<3xi64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf32> to tensor<3xi64>
  %0 = tenferro.cast %x : tensor<3xf32> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @f32_to_i32
func.func @f32_to_i32(%x: tensor<3xf32>) -> tensor<3xi32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf32> to tensor<3xi32>
  %0 = tenferro.cast %x : tensor<3xf32> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @f32_to_ui8
func.func @f32_to_ui8(%x: tensor<3xf32>) -> tensor<3xui8> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf32> to tensor<3xui8>
  %0 = tenferro.cast %x : tensor<3xf32> to tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @f32_to_i1
func.func @f32_to_i1(%x: tensor<3xf32>) -> tensor<3xi1> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xf32> to tensor<3xi1>
  %0 = tenferro.cast %x : tensor<3xf32> to tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i64_to_f64
func.func @i64_to_f64(%x: tensor<3xi64>) -> tensor<3xf64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi64> to tensor<3xf64>
  %0 = tenferro.cast %x : tensor<3xi64> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @i64_to_f32
func.func @i64_to_f32(%x: tensor<3xi64>) -> tensor<3xf32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi64> to tensor<3xf32>
  %0 = tenferro.cast %x : tensor<3xi64> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i64_to_i32
func.func @i64_to_i32(%x: tensor<3xi64>) -> tensor<3xi32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi64> to tensor<3xi32>
  %0 = tenferro.cast %x : tensor<3xi64> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @i64_to_ui8
func.func @i64_to_ui8(%x: tensor<3xi64>) -> tensor<3xui8> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi64> to tensor<3xui8>
  %0 = tenferro.cast %x : tensor<3xi64> to tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @i64_to_i1
func.func @i64_to_i1(%x: tensor<3xi64>) -> tensor<3xi1> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi64> to tensor<3xi1>
  %0 = tenferro.cast %x : tensor<3xi64> to tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i32_to_f64
func.func @i32_to_f64(%x: tensor<3xi32>) -> tensor<3xf64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi32> to tensor<3xf64>
  %0 = tenferro.cast %x : tensor<3xi32> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @i32_to_f32
func.func @i32_to_f32(%x: tensor<3xi32>) -> tensor<3xf32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi32> to tensor<3xf32>
  %0 = tenferro.cast %x : tensor<3xi32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i32_to_i64
func.func @i32_to_i64(%x: tensor<3xi32>) -> tensor<3xi64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi32> to tensor<3xi64>
  %0 = tenferro.cast %x : tensor<3xi32> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @i32_to_ui8
func.func @i32_to_ui8(%x: tensor<3xi32>) -> tensor<3xui8> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi32> to tensor<3xui8>
  %0 = tenferro.cast %x : tensor<3xi32> to tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @i32_to_i1
func.func @i32_to_i1(%x: tensor<3xi32>) -> tensor<3xi1> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi32> to tensor<3xi1>
  %0 = tenferro.cast %x : tensor<3xi32> to tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @ui8_to_f64
func.func @ui8_to_f64(%x: tensor<3xui8>) -> tensor<3xf64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xui8> to tensor<3xf64>
  %0 = tenferro.cast %x : tensor<3xui8> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @ui8_to_f32
func.func @ui8_to_f32(%x: tensor<3xui8>) -> tensor<3xf32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xui8> to tensor<3xf32>
  %0 = tenferro.cast %x : tensor<3xui8> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @ui8_to_i64
func.func @ui8_to_i64(%x: tensor<3xui8>) -> tensor<3xi64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xui8> to tensor<3xi64>
  %0 = tenferro.cast %x : tensor<3xui8> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @ui8_to_i32
func.func @ui8_to_i32(%x: tensor<3xui8>) -> tensor<3xi32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xui8> to tensor<3xi32>
  %0 = tenferro.cast %x : tensor<3xui8> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @ui8_to_i1
func.func @ui8_to_i1(%x: tensor<3xui8>) -> tensor<3xi1> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xui8> to tensor<3xi1>
  %0 = tenferro.cast %x : tensor<3xui8> to tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i1_to_f64
func.func @i1_to_f64(%x: tensor<3xi1>) -> tensor<3xf64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi1> to tensor<3xf64>
  %0 = tenferro.cast %x : tensor<3xi1> to tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @i1_to_f32
func.func @i1_to_f32(%x: tensor<3xi1>) -> tensor<3xf32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi1> to tensor<3xf32>
  %0 = tenferro.cast %x : tensor<3xi1> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i1_to_i64
func.func @i1_to_i64(%x: tensor<3xi1>) -> tensor<3xi64> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi1> to tensor<3xi64>
  %0 = tenferro.cast %x : tensor<3xi1> to tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @i1_to_i32
func.func @i1_to_i32(%x: tensor<3xi1>) -> tensor<3xi32> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi1> to tensor<3xi32>
  %0 = tenferro.cast %x : tensor<3xi1> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @i1_to_ui8
func.func @i1_to_ui8(%x: tensor<3xi1>) -> tensor<3xui8> {
  // CHECK: tenferro.cast %{{.*}} : tensor<3xi1> to tensor<3xui8>
  %0 = tenferro.cast %x : tensor<3xi1> to tensor<3xui8>
  return %0 : tensor<3xui8>
}
