// One walk that simplifies and merges: what three passes, tenferro-simplify, tenferro-cse and tenferro-simplify, make.
// RUN: tenferro-opt %s --tenferro-simplify=merge --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Merging makes the branches equal, so the select goes, and with it nothing that is used: locations of both stay.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    (%[[P:[^:]*]]: tensor<4xi1> {{.*}}, %[[X:[^:]*]]: tensor<4xf64>
// CHECK-NEXT:    %[[E:.*]] = tenferro.exp %[[X]] : tensor<4xf64> loc(fused["f":1:1, "f":2:1])
// CHECK-NEXT:    return %[[E]]
func.func @branches(%p: tensor<4xi1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %a = tenferro.exp %x : tensor<4xf64> loc("f":1:1)
  %one = tenferro.constant dense<1.0> : tensor<4xf64>
  %same = tenferro.mul %x, %one : tensor<4xf64>
  %b = tenferro.exp %same : tensor<4xf64> loc("f":2:1)
  %s = tenferro.select %p, %a, %b : tensor<4xi1>, tensor<4xf64>
  return %s : tensor<4xf64>
}

// The value that takes the place of an operation stands right before it and has been compared: it is not merged into itself.
// CHECK-LABEL: func.func @neighbour
// CHECK:         %[[E:.*]] = tenferro.exp
// CHECK-NEXT:    %[[S:.*]] = tenferro.sin %[[E]]
// CHECK-NEXT:    return %[[S]]
func.func @neighbour(%x: tensor<4xf64>) -> tensor<4xf64> {
  %one = tenferro.constant dense<1.0> : tensor<4xf64>
  %e = tenferro.exp %x : tensor<4xf64>
  %same = tenferro.mul %e, %one : tensor<4xf64>
  %s = tenferro.sin %same : tensor<4xf64>
  return %s : tensor<4xf64>
}

// Constants that folding makes are merged like all others; operands of commutative operations are a set, of others not.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf64>
// CHECK-NEXT:    %[[C:.*]] = tenferro.constant dense<3.000000e+00>
// CHECK-NEXT:    %[[A:.*]] = tenferro.add %[[X]], %[[C]]
// CHECK-NEXT:    %[[D:.*]] = tenferro.sub %[[X]], %[[C]]
// CHECK-NEXT:    %[[F:.*]] = tenferro.sub %[[C]], %[[X]]
// CHECK-NEXT:    return %[[A]], %[[A]], %[[D]], %[[F]]
func.func @constants(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %three = tenferro.constant dense<3.0> : tensor<4xf64>
  %one = tenferro.constant dense<1.0> : tensor<4xf64>
  %two = tenferro.constant dense<2.0> : tensor<4xf64>
  %sum = tenferro.add %one, %two : tensor<4xf64>
  %a = tenferro.add %x, %three : tensor<4xf64>
  %b = tenferro.add %sum, %x : tensor<4xf64>
  %d = tenferro.sub %x, %three : tensor<4xf64>
  %f = tenferro.sub %sum, %x : tensor<4xf64>
  return %a, %b, %d, %f : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
