// Kernels written by hand that the emitter cannot launch are refused, not misread.
// RUN: not tenferro-run %s --entry=two 4xf64=1 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tenferro-run %s --entry=reversed 4xf64=1 2>&1 | FileCheck %s --check-prefix=REVERSED
// RUN: not tenferro-run %s --entry=output_as_input 4xf64=1 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tenferro-run %s --entry=private_memory 4xf64=1 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tenferro-run %s --entry=no_kind 4xf64=1 2>&1 | FileCheck %s --check-prefix=KIND
// TWO: error: 'tenferro.kernel' op expects a body of one linalg.generic
// REVERSED: error: 'linalg.generic' op expects inputs that are inputs of the kernel, read along axes or at 0, but not operand 0
// OUTPUT: error: 'linalg.generic' op expects inputs that are inputs of the kernel, read along axes or at 0, but not operand 0
// KIND: error: 'linalg.generic' op expects 'tenferro.reduction' where it has reduced axes
#id = affine_map<(i) -> (i)>
#reversed = affine_map<(i) -> (3 - i)>
#none = affine_map<(i) -> ()>
func.func @two(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: memref<4xf64>, %b: memref<4xf64>):
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf64>) outs(%b : memref<4xf64>) {
    ^bb0(%p: f64, %q: f64):
      linalg.yield %p : f64
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf64>) outs(%b : memref<4xf64>) {
    ^bb0(%p: f64, %q: f64):
      %r = arith.negf %p : f64
      linalg.yield %r : f64
    }
  }
  return %y : tensor<4xf64>
}
func.func @reversed(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: memref<4xf64>, %b: memref<4xf64>):
    linalg.generic {indexing_maps = [#reversed, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf64>) outs(%b : memref<4xf64>) {
    ^bb0(%p: f64, %q: f64):
      linalg.yield %p : f64
    }
  }
  return %y : tensor<4xf64>
}
func.func @output_as_input(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: memref<4xf64>, %b: memref<4xf64>):
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<4xf64>) outs(%b : memref<4xf64>) {
    ^bb0(%p: f64, %q: f64):
      linalg.yield %p : f64
    }
  }
  return %y : tensor<4xf64>
}
func.func @private_memory(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: memref<4xf64>, %b: memref<4xf64>):
    %m = memref.alloc() : memref<4xf64>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%m : memref<4xf64>) outs(%b : memref<4xf64>) {
    ^bb0(%p: f64, %q: f64):
      linalg.yield %p : f64
    }
  }
  return %y : tensor<4xf64>
}
func.func @no_kind(%x: tensor<4xf64>) -> tensor<f64> {
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<f64> {
  ^bb0(%a: memref<4xf64>, %b: memref<f64>):
    linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : memref<4xf64>) outs(%b : memref<f64>) {
    ^bb0(%p: f64, %q: f64):
      linalg.yield %p : f64
    }
  }
  return %y : tensor<f64>
}
