// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @twice
// CHECK-SAME:    %[[X:.*]]: tensor<4xf64>
func.func @twice(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: tenferro.kernel "twice"(%[[X]]) : (tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: ^bb0(%{{.*}}: memref<4xf64>, %{{.*}}: memref<4xf64>):
  // CHECK:   linalg.generic
  %y = tenferro.kernel "twice"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%in: memref<4xf64>, %out: memref<4xf64>):
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%in : memref<4xf64>) outs(%out : memref<4xf64>) {
    ^bb0(%a: f64, %b: f64):
      %c = arith.addf %a, %a : f64
      linalg.yield %c : f64
    }
  }
  return %y : tensor<4xf64>
}

// bool and u8 are bytes in memory.
// CHECK-LABEL: func.func @bytes
func.func @bytes(%p: tensor<4xi1>, %u: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xui8>) {
  // CHECK: ^bb0(%{{.*}}: memref<4xi8>, %{{.*}}: memref<4xi8>, %{{.*}}: memref<4xi8>, %{{.*}}: memref<4xi8>):
  %q:2 = tenferro.kernel "copy"(%p, %u) : (tensor<4xi1>, tensor<4xui8>) -> (tensor<4xi1>, tensor<4xui8>) {
  ^bb0(%a: memref<4xi8>, %b: memref<4xi8>, %c: memref<4xi8>, %d: memref<4xi8>):
    memref.copy %a, %c : memref<4xi8> to memref<4xi8>
    memref.copy %b, %d : memref<4xi8> to memref<4xi8>
  }
  return %q#0, %q#1 : tensor<4xi1>, tensor<4xui8>
}
