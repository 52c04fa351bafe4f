// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @unknown_error(%c: i1) {
  // expected-error @below {{'tenferro.raise_if' op expects a kernel error of 1 to 3, but got 4}}
  tenferro.raise_if %c error 4
  return
}

// -----

func.func @kernel_arguments(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.kernel' op expects a body of 2 arguments, but got 1}}
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%in: memref<4xf64>):
  }
  return %y : tensor<4xf64>
}

// -----

func.func @kernel_shape(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.kernel' op expects argument 1 of the body to be a memref of element type and reversed shape of 'tensor<4xf64>', but got 'memref<5xf64>'}}
  %y = tenferro.kernel "k"(%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%in: memref<4xf64>, %out: memref<5xf64>):
  }
  return %y : tensor<4xf64>
}

// -----

func.func @kernel_element_type(%x: tensor<4xi1>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.kernel' op expects argument 0 of the body to be a memref of element type and reversed shape of 'tensor<4xi1>', but got 'memref<4xi1>'}}
  %y = tenferro.kernel "k"(%x) : (tensor<4xi1>) -> tensor<4xf64> {
  ^bb0(%in: memref<4xi1>, %out: memref<4xf64>):
  }
  return %y : tensor<4xf64>
}

// -----

func.func @residual_types(%x: tensor<4xf64>, %s: tensor<5xf64>) -> tensor<4xf64> {
  // expected-error @below {{failed to verify that all of {value, saved, result} have same type}}
  %y = "tenferro.residual"(%x, %s) : (tensor<4xf64>, tensor<5xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @perturb_types(%x: tensor<4xf64>, %e: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error @below {{failed to verify that all of {value, perturbation, result} have same type}}
  %y = "tenferro.perturb"(%x, %e) : (tensor<4xf64>, tensor<4xf32>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @fused_end(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.fused' op expects a body that ends in tenferro.yield}}
  %y = "tenferro.fused"(%x) ({
  ^bb0(%a: tensor<4xf64>):
    %0 = tenferro.neg %a : tensor<4xf64>
  }) {iteration = array<i64: 4>} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @fused_arguments(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.fused' op expects a body argument per input, of its type}}
  %y = tenferro.fused [4](%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: tensor<5xf64>):
    tenferro.yield %a : tensor<5xf64>
  }
  return %y : tensor<4xf64>
}

// -----

func.func @fused_results(%x: tensor<4xf64>) -> tensor<5xf64> {
  // expected-error @below {{'tenferro.fused' op expects a yielded value per result, of its type}}
  %y = tenferro.fused [4](%x) : (tensor<4xf64>) -> tensor<5xf64> {
  ^bb0(%a: tensor<4xf64>):
    tenferro.yield %a : tensor<4xf64>
  }
  return %y : tensor<5xf64>
}

// -----

func.func @fused_iteration(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'tenferro.fused' op expects results over the iteration space [5, -1], but got 'tensor<4xf64>'}}
  %y = tenferro.fused [5, -1](%x) : (tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%a: tensor<4xf64>):
    tenferro.yield %a : tensor<4xf64>
  }
  return %y : tensor<4xf64>
}

// -----

func.func @fused_two_reductions(%x: tensor<4x2xf64>) {
  // expected-error @below {{'tenferro.fused' op expects a reduction to be the only result, but got 2}}
  %y:2 = tenferro.fused [4, 2](%x) : (tensor<4x2xf64>) -> (tensor<2xf64>, tensor<4xf64>) {
  ^bb0(%a: tensor<4x2xf64>):
    %0 = tenferro.sum %a [0] : tensor<4x2xf64>
    %1 = tenferro.sum %a [1] : tensor<4x2xf64>
    tenferro.yield %0, %1 : tensor<2xf64>, tensor<4xf64>
  }
  return
}
