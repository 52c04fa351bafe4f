// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @eq
func.func @eq(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare eq, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare eq, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @ne
func.func @ne(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare ne, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare ne, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @lt
func.func @lt(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare lt, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @le
func.func @le(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare le, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare le, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @gt
func.func @gt(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare gt, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare gt, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @ge
func.func @ge(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare ge, %{{.*}}, %{{.*}} : tensor<3xf64>
  %0 = tenferro.compare ge, %a, %b : tensor<3xf64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @f32
func.func @f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xf32>
  %0 = tenferro.compare lt, %a, %b : tensor<3xf32>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xi64>
  %0 = tenferro.compare lt, %a, %b : tensor<3xi64>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xi32>
  %0 = tenferro.compare lt, %a, %b : tensor<3xi32>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%a: tensor<3xui8>, %b: tensor<3xui8>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xui8>
  %0 = tenferro.compare lt, %a, %b : tensor<3xui8>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @i1
func.func @i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> {
  // CHECK: tenferro.compare lt, %{{.*}}, %{{.*}} : tensor<3xi1>
  %0 = tenferro.compare lt, %a, %b : tensor<3xi1>
  return %0 : tensor<3xi1>
}
