// RUN: tenferro-opt %s --tenferro-expand-math --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @rsqrt
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
func.func @rsqrt(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
  // CHECK-DAG: %[[ROOT:.*]] = math.sqrt %[[X]] : vector<8xf32>
  // CHECK: %[[Y:.*]] = arith.divf %[[ONE]], %[[ROOT]] : vector<8xf32>
  // CHECK: %[[REFINED:.*]] = math.fma %{{.*}}, %{{.*}}, %[[Y]] : vector<8xf32>
  // CHECK: %[[FINITE:.*]] = arith.cmpf ord, %[[REFINED]], %[[REFINED]] : vector<8xf32>
  // CHECK: arith.select %[[FINITE]], %[[REFINED]], %[[Y]] : vector<8xi1>, vector<8xf32>
  %y = math.rsqrt %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// No function of the C library is left, and no fast-math flag written.
// CHECK-LABEL: func.func @all
// CHECK-NOT: fastmath
// CHECK-NOT: math.{{exp|expm1|log|log1p|tanh|erf|powf|rsqrt|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|asinh|acosh|atanh|exp2|log2|log10|cbrt|erfc}} %
// CHECK: return
func.func @all(%x: f64, %y: vector<4xf64>) -> (f64, vector<4xf64>) {
  %0 = math.exp %x : f64
  %1 = math.expm1 %0 : f64
  %2 = math.log %1 : f64
  %3 = math.log1p %2 fastmath<fast> : f64
  %4 = math.tanh %y : vector<4xf64>
  %5 = math.erf %4 : vector<4xf64>
  %6 = math.powf %5, %y : vector<4xf64>
  %7 = math.rsqrt %6 : vector<4xf64>
  %8 = math.sin %7 : vector<4xf64>
  %9 = math.cos %8 : vector<4xf64>
  %10 = math.tan %3 : f64
  %11 = math.asin %9 : vector<4xf64>
  %12 = math.acos %11 : vector<4xf64>
  %13 = math.atan %12 : vector<4xf64>
  %14 = math.atan2 %13, %y : vector<4xf64>
  %15 = math.sinh %14 : vector<4xf64>
  %16 = math.cosh %15 : vector<4xf64>
  %17 = math.asinh %16 : vector<4xf64>
  %18 = math.acosh %17 : vector<4xf64>
  %19 = math.atanh %10 : f64
  %20 = math.exp2 %19 : f64
  %21 = math.log2 %20 : f64
  %22 = math.log10 %21 : f64
  %23 = math.cbrt %22 : f64
  %24 = math.erfc %23 : f64
  return %24, %18 : f64, vector<4xf64>
}

// -----

// f32 to a power goes through f64, and so do the circular functions.
// CHECK-LABEL: func.func @powf
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @powf(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @cos
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
func.func @cos(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.cos %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @unchanged
// CHECK: math.sqrt
// CHECK-NEXT: math.trunc
func.func @unchanged(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.trunc %0 : f32
  return %1 : f32
}

// -----

func.func @half(%x: f16) -> f16 {
  // expected-error @+1 {{'math.tanh' op has no expansion for this type; expects f32, f64 or a vector of them, but got 'f16'}}
  %0 = math.tanh %x : f16
  return %0 : f16
}
