// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// Only what leaves every bit as it was: x + -0.0 is x for every x, x + 0.0 is not for -0.0.
// CHECK-LABEL: func.func @add_zero
// CHECK-SAME:    %[[X:.*]]: tensor<3xf64>
func.func @add_zero(%x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %minus = tenferro.constant dense<-0.0> : tensor<3xf64>
  %plus = tenferro.constant dense<0.0> : tensor<3xf64>
  %a = tenferro.add %x, %minus : tensor<3xf64>
  %b = tenferro.add %minus, %x : tensor<3xf64>
  // CHECK: %[[SUM:.*]] = tenferro.add %[[X]], %{{.*}} : tensor<3xf64>
  %c = tenferro.add %x, %plus : tensor<3xf64>
  // CHECK: return %[[X]], %[[X]], %[[SUM]]
  return %a, %b, %c : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @sub_zero
// CHECK-SAME:    %[[X:.*]]: tensor<3xf64>
func.func @sub_zero(%x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %minus = tenferro.constant dense<-0.0> : tensor<3xf64>
  %plus = tenferro.constant dense<0.0> : tensor<3xf64>
  %a = tenferro.sub %x, %plus : tensor<3xf64>
  // CHECK: %[[DIFFERENCE:.*]] = tenferro.sub %[[X]], %{{.*}} : tensor<3xf64>
  %b = tenferro.sub %x, %minus : tensor<3xf64>
  // CHECK: return %[[X]], %[[DIFFERENCE]]
  return %a, %b : tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @times_one
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32>, %[[I:.*]]: tensor<3xi64>
func.func @times_one(%x: tensor<3xf32>, %i: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) {
  %one = tenferro.constant dense<1.0> : tensor<3xf32>
  %integer = tenferro.constant dense<1> : tensor<3xi64>
  %a = tenferro.mul %one, %x : tensor<3xf32>
  %b = tenferro.div %x, %one : tensor<3xf32>
  %c = tenferro.mul %i, %integer : tensor<3xi64>
  // CHECK: return %[[X]], %[[X]], %[[I]]
  return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xi64>
}

// 0 * x is not 0 for infinities and NaN.
// CHECK-LABEL: func.func @times_zero
func.func @times_zero(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = tenferro.constant dense<0.0> : tensor<3xf64>
  // CHECK: tenferro.mul
  %a = tenferro.mul %x, %zero : tensor<3xf64>
  return %a : tensor<3xf64>
}

// CHECK-LABEL: func.func @neg_neg
// CHECK-SAME:    %[[X:.*]]: tensor<3xf64>
func.func @neg_neg(%x: tensor<3xf64>) -> tensor<3xf64> {
  %n = tenferro.neg %x : tensor<3xf64>
  %p = tenferro.neg %n : tensor<3xf64>
  // CHECK: return %[[X]]
  return %p : tensor<3xf64>
}

// Constants fold by the operation's own scalar meaning, which wraps and rounds once.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xui8>, tensor<2xf64>) {
  %one = tenferro.constant dense<1.0> : tensor<2xf64>
  %three = tenferro.constant dense<3.0> : tensor<2xf64>
  %least = tenferro.constant dense<-2147483648> : tensor<2xi32>
  %minus = tenferro.constant dense<-1> : tensor<2xi32>
  %byte = tenferro.constant dense<200> : tensor<2xui8>
  %nan = tenferro.constant dense<0x7FF8000000000000> : tensor<2xf64>
  // CHECK-DAG: %[[THIRD:.*]] = tenferro.constant dense<0.33333333333333331> : tensor<2xf64>
  %third = tenferro.div %one, %three : tensor<2xf64>
  // CHECK-DAG: %[[LEAST:.*]] = tenferro.constant dense<-2147483648> : tensor<2xi32>
  %wrapped = tenferro.div %least, %minus : tensor<2xi32>
  %magnitude = tenferro.abs %least : tensor<2xi32>
  // CHECK-DAG: %[[BYTE:.*]] = tenferro.constant dense<144> : tensor<2xui8>
  %sum = tenferro.add %byte, %byte : tensor<2xui8>
  // CHECK-DAG: %[[NAN:.*]] = tenferro.constant dense<0x7FF8000000000000> : tensor<2xf64>
  %larger = tenferro.maximum %one, %nan : tensor<2xf64>
  // CHECK: return %[[THIRD]], %[[LEAST]], %[[LEAST]], %[[BYTE]], %[[NAN]]
  return %third, %wrapped, %magnitude, %sum, %larger
      : tensor<2xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xui8>, tensor<2xf64>
}

// An error at execution is not folded away.
// CHECK-LABEL: func.func @division_by_zero
func.func @division_by_zero() -> tensor<2xi64> {
  %one = tenferro.constant dense<1> : tensor<2xi64>
  %zero = tenferro.constant dense<0> : tensor<2xi64>
  // CHECK: tenferro.div
  %a = tenferro.div %one, %zero : tensor<2xi64>
  return %a : tensor<2xi64>
}
