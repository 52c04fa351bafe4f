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

// A strong zero: nothing is left of an infinite slope.
// CHECK-LABEL: func.func @szmul
// CHECK-SAME:    %[[S:.*]]: tensor<3xf64>
func.func @szmul(%s: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %zero = tenferro.constant dense<0.0> : tensor<3xf64>
  %minus = tenferro.constant dense<-0.0> : tensor<3xf64>
  %one = tenferro.constant dense<1.0> : tensor<3xf64>
  %inf = tenferro.constant dense<0x7FF0000000000000> : tensor<3xf64>
  // CHECK-DAG: %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00> : tensor<3xf64>
  // CHECK-DAG: %[[ONE:.*]] = tenferro.constant dense<1.000000e+00> : tensor<3xf64>
  %0 = tenferro.szmul %s, %zero : tensor<3xf64>
  %1 = tenferro.szmul %inf, %minus : tensor<3xf64>
  %2 = tenferro.szmul %s, %one : tensor<3xf64>
  // CHECK: %[[KEPT:.*]] = tenferro.szmul %[[ONE]], %[[S]]
  %3 = tenferro.szmul %one, %s : tensor<3xf64>
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[S]], %[[KEPT]]
  return %0, %1, %2, %3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @sign
func.func @sign() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xui8>) {
  %a = tenferro.constant dense<-0.0> : tensor<2xf32>
  %b = tenferro.constant dense<-7.5> : tensor<2xf32>
  %c = tenferro.constant dense<-2147483648> : tensor<2xi32>
  %d = tenferro.constant dense<200> : tensor<2xui8>
  // CHECK-DAG: %[[A:.*]] = tenferro.constant dense<-0.000000e+00> : tensor<2xf32>
  %0 = tenferro.sign %a : tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = tenferro.constant dense<-1.000000e+00> : tensor<2xf32>
  %1 = tenferro.sign %b : tensor<2xf32>
  // CHECK-DAG: %[[C:.*]] = tenferro.constant dense<-1> : tensor<2xi32>
  %2 = tenferro.sign %c : tensor<2xi32>
  // CHECK-DAG: %[[D:.*]] = tenferro.constant dense<1> : tensor<2xui8>
  %3 = tenferro.sign %d : tensor<2xui8>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xui8>
}

// Integer powers wrap; a negative exponent is left for execution to report; a float power is left to its expansion.
// CHECK-LABEL: func.func @pow
func.func @pow() -> (tensor<2xi32>, tensor<2xi64>, tensor<2xui8>, tensor<2xi32>, tensor<2xi32>, tensor<2xf64>) {
  %three = tenferro.constant dense<3> : tensor<2xi32>
  %zero = tenferro.constant dense<0> : tensor<2xi32>
  %minus = tenferro.constant dense<-1> : tensor<2xi32>
  %forty = tenferro.constant dense<40> : tensor<2xi32>
  %base = tenferro.constant dense<-7> : tensor<2xi64>
  %exponent = tenferro.constant dense<23> : tensor<2xi64>
  %byte = tenferro.constant dense<250> : tensor<2xui8>
  %float = tenferro.constant dense<2.0> : tensor<2xf64>
  // 3^40 = 12157665459056928801, modulo 2^32 as a signed number.
  // CHECK-DAG: %[[WRAPPED:.*]] = tenferro.constant dense<689956897> : tensor<2xi32>
  %0 = tenferro.pow %three, %forty : tensor<2xi32>
  // (-7)^23 = -27368747340080916343, modulo 2^64.
  // CHECK-DAG: %[[LONG:.*]] = tenferro.constant dense<-8922003266371364727> : tensor<2xi64>
  %1 = tenferro.pow %base, %exponent : tensor<2xi64>
  // CHECK-DAG: %[[ZERO_BYTE:.*]] = tenferro.constant dense<0> : tensor<2xui8>
  %2 = tenferro.pow %byte, %byte : tensor<2xui8>
  // CHECK-DAG: %[[ONE:.*]] = tenferro.constant dense<1> : tensor<2xi32>
  %3 = tenferro.pow %zero, %zero : tensor<2xi32>
  // CHECK-DAG: %[[NEGATIVE:.*]] = tenferro.pow %{{.*}}, %{{.*}} : tensor<2xi32>
  %4 = tenferro.pow %three, %minus : tensor<2xi32>
  // CHECK-DAG: %[[FLOAT:.*]] = tenferro.pow %{{.*}}, %{{.*}} : tensor<2xf64>
  %5 = tenferro.pow %float, %float : tensor<2xf64>
  // CHECK: return %[[WRAPPED]], %[[LONG]], %[[ZERO_BYTE]], %[[ONE]], %[[NEGATIVE]], %[[FLOAT]]
  return %0, %1, %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi64>, tensor<2xui8>, tensor<2xi32>, tensor<2xi32>, tensor<2xf64>
}

// Rounding has one exact answer.
// CHECK-LABEL: func.func @steps
func.func @steps() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %x = tenferro.constant dense<-2.5> : tensor<2xf64>
  // CHECK-DAG: %[[DOWN:.*]] = tenferro.constant dense<-3.000000e+00>
  // CHECK-DAG: %[[UP:.*]] = tenferro.constant dense<-2.000000e+00>
  %a = tenferro.floor %x : tensor<2xf64>
  %b = tenferro.ceil %x : tensor<2xf64>
  %c = tenferro.round %x : tensor<2xf64>
  %d = tenferro.trunc %x : tensor<2xf64>
  // CHECK: return %[[DOWN]], %[[UP]], %[[UP]], %[[UP]]
  return %a, %b, %c, %d : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// CHECK-LABEL: func.func @divisions
func.func @divisions() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %a = tenferro.constant dense<-7> : tensor<2xi64>
  %b = tenferro.constant dense<2> : tensor<2xi64>
  %zero = tenferro.constant dense<0> : tensor<2xi64>
  // CHECK-DAG: %[[REST:.*]] = tenferro.constant dense<-1>
  // CHECK-DAG: %[[FLOOR:.*]] = tenferro.constant dense<-4>
  // CHECK-DAG: %[[RAISES:.*]] = tenferro.rem
  %rest = tenferro.rem %a, %b : tensor<2xi64>
  %floor = tenferro.floor_divide %a, %b : tensor<2xi64>
  %raises = tenferro.rem %a, %zero : tensor<2xi64>
  // CHECK: return %[[REST]], %[[FLOOR]], %[[RAISES]]
  return %rest, %floor, %raises : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}

// CHECK-LABEL: func.func @clamp
func.func @clamp() -> tensor<2xf32> {
  %x = tenferro.constant dense<5.0> : tensor<2xf32>
  %low = tenferro.constant dense<-1.0> : tensor<2xf32>
  %high = tenferro.constant dense<1.5> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = tenferro.constant dense<1.500000e+00>
  %y = tenferro.clamp %x, %low, %high : tensor<2xf32>
  // CHECK: return %[[Y]]
  return %y : tensor<2xf32>
}
