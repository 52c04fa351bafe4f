// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @select_constant
// CHECK-SAME:    %[[P:.*]]: tensor<2xi1>, %[[A:.*]]: tensor<2xf64>, %[[B:.*]]: tensor<2xf64>
func.func @select_constant(%p: tensor<2xi1>, %a: tensor<2xf64>, %b: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %true = tenferro.constant dense<true> : tensor<2xi1>
  %false = tenferro.constant dense<false> : tensor<2xi1>
  %0 = tenferro.select %true, %a, %b : tensor<2xi1>, tensor<2xf64>
  %1 = tenferro.select %false, %a, %b : tensor<2xi1>, tensor<2xf64>
  %2 = tenferro.select %p, %a, %a : tensor<2xi1>, tensor<2xf64>
  // CHECK: return %[[A]], %[[B]], %[[A]]
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// NaN is not equal to itself, and not ordered.
// CHECK-LABEL: func.func @compare_nan
func.func @compare_nan() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %nan = tenferro.constant dense<0x7FF8000000000000> : tensor<2xf64>
  // CHECK-DAG: %[[NO:.*]] = tenferro.constant dense<false> : tensor<2xi1>
  // CHECK-DAG: %[[YES:.*]] = tenferro.constant dense<true> : tensor<2xi1>
  %eq = tenferro.compare eq, %nan, %nan : tensor<2xf64>
  %ne = tenferro.compare ne, %nan, %nan : tensor<2xf64>
  %ge = tenferro.compare ge, %nan, %nan : tensor<2xf64>
  // CHECK: return %[[NO]], %[[YES]], %[[NO]]
  return %eq, %ne, %ge : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// u8 compares unsigned.
// CHECK-LABEL: func.func @compare_bytes
func.func @compare_bytes() -> tensor<2xi1> {
  %large = tenferro.constant dense<200> : tensor<2xui8>
  %small = tenferro.constant dense<100> : tensor<2xui8>
  // CHECK: %[[YES:.*]] = tenferro.constant dense<true> : tensor<2xi1>
  %gt = tenferro.compare gt, %large, %small : tensor<2xui8>
  // CHECK: return %[[YES]]
  return %gt : tensor<2xi1>
}

// Casts saturate; NaN is 0 as an integer and true as a bool.
// CHECK-LABEL: func.func @casts
func.func @casts() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xi32>) {
  %big = tenferro.constant dense<300.7> : tensor<2xf64>
  %below = tenferro.constant dense<-3.0e9> : tensor<2xf64>
  %nan = tenferro.constant dense<0x7FF8000000000000> : tensor<2xf64>
  %long = tenferro.constant dense<-3000000000> : tensor<2xi64>
  // CHECK-DAG: %[[BYTE:.*]] = tenferro.constant dense<255> : tensor<2xui8>
  %0 = tenferro.cast %big : tensor<2xf64> to tensor<2xui8>
  // CHECK-DAG: %[[NOTHING:.*]] = tenferro.constant dense<0> : tensor<2xui8>
  %1 = tenferro.cast %long : tensor<2xi64> to tensor<2xui8>
  // CHECK-DAG: %[[LEAST:.*]] = tenferro.constant dense<-2147483648> : tensor<2xi32>
  %2 = tenferro.cast %below : tensor<2xf64> to tensor<2xi32>
  // CHECK-DAG: %[[ZERO:.*]] = tenferro.constant dense<0> : tensor<2xi32>
  %3 = tenferro.cast %nan : tensor<2xf64> to tensor<2xi32>
  // CHECK-DAG: %[[TRUE:.*]] = tenferro.constant dense<true> : tensor<2xi1>
  %4 = tenferro.cast %nan : tensor<2xf64> to tensor<2xi1>
  %5 = tenferro.cast %long : tensor<2xi64> to tensor<2xi32>
  // CHECK: return %[[BYTE]], %[[NOTHING]], %[[LEAST]], %[[ZERO]], %[[TRUE]], %[[LEAST]]
  return %0, %1, %2, %3, %4, %5
      : tensor<2xui8>, tensor<2xui8>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xi32>
}

// CHECK-LABEL: func.func @identity
// CHECK-SAME:    %[[X:.*]]: tensor<2xf64>
func.func @identity(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %0 = tenferro.convert %x : tensor<2xf64> to tensor<2xf64>
  %1 = tenferro.cast %x : tensor<2xf64> to tensor<2xf64>
  // CHECK: return %[[X]], %[[X]]
  return %0, %1 : tensor<2xf64>, tensor<2xf64>
}

// There and back loses nothing where the way there is lossless; the other way round rounds.
// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME:    %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf64>
func.func @there_and_back(%x: tensor<2xf32>, %y: tensor<2xf64>) -> (tensor<2xf32>, tensor<2xf64>) {
  %0 = tenferro.convert %x : tensor<2xf32> to tensor<2xf64>
  %1 = tenferro.cast %0 : tensor<2xf64> to tensor<2xf32>
  // CHECK: %[[NARROW:.*]] = tenferro.cast %[[Y]]
  %2 = tenferro.cast %y : tensor<2xf64> to tensor<2xf32>
  // CHECK: %[[WIDE:.*]] = tenferro.convert %[[NARROW]]
  %3 = tenferro.convert %2 : tensor<2xf32> to tensor<2xf64>
  // CHECK: return %[[X]], %[[WIDE]]
  return %1, %3 : tensor<2xf32>, tensor<2xf64>
}

// CHECK-LABEL: func.func @tests
func.func @tests() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %x = tenferro.constant dense<0x7FF0000000000000> : tensor<2xf64>
  // CHECK-DAG: %[[FALSE:.*]] = tenferro.constant dense<false>
  // CHECK-DAG: %[[TRUE:.*]] = tenferro.constant dense<true>
  %a = tenferro.is_nan %x : tensor<2xf64>
  %b = tenferro.is_inf %x : tensor<2xf64>
  %c = tenferro.is_finite %x : tensor<2xf64>
  // CHECK: return %[[FALSE]], %[[TRUE]], %[[FALSE]]
  return %a, %b, %c : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
