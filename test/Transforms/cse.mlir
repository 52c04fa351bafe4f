// RUN: tenferro-opt %s --tenferro-cse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @merge
func.func @merge(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  // Three equal operations: one stays, with the places of all.
  // CHECK: %[[A:.*]] = tenferro.exp %{{.*}} loc(fused["first", "second", "third"])
  %a = tenferro.exp %x : tensor<4xf64> loc("first")
  %b = tenferro.exp %x : tensor<4xf64> loc("second")
  %c = tenferro.exp %x : tensor<4xf64> loc("third")
  // Operands of a commutative operation are a set; the merged operands above make these two equal.
  // CHECK: %[[M:.*]] = tenferro.mul %[[A]], %{{.*}} loc(fused["fourth", "fifth"])
  %d = tenferro.mul %b, %y : tensor<4xf64> loc("fourth")
  %e = tenferro.mul %y, %c : tensor<4xf64> loc("fifth")
  // Those of another are not.
  // CHECK: tenferro.sub
  // CHECK: tenferro.sub
  %f = tenferro.sub %a, %d : tensor<4xf64>
  %g = tenferro.sub %e, %a : tensor<4xf64>
  %h = tenferro.add %f, %g : tensor<4xf64>
  return %h : tensor<4xf64>
}

// Other attributes or types keep operations apart.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf32>) {
  // CHECK-COUNT-2: tenferro.sum
  %a = tenferro.sum %x [0] : tensor<2x2xf64>
  %b = tenferro.sum %x [1] : tensor<2x2xf64>
  // CHECK-COUNT-2: tenferro.constant
  %c = tenferro.constant dense<1.0> : tensor<2xf64>
  %d = tenferro.constant dense<1.0> : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf32>
}
