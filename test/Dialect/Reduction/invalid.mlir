// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @axis(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.sum' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.sum %x [2] : tensor<2x3xf64>
  return
}

// -----

func.func @rank_0(%x: tensor<f64>) {
  // expected-error @below {{'tenferro.max' op expects axes in [0, 0), but got 0}}
  %0 = tenferro.max %x [0] : tensor<f64>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.min' op expects distinct axes, but got [1, 1]}}
  %0 = tenferro.min %x [1, 1] : tensor<2x3xf64>
  return
}

// -----

func.func @order(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.sum' op expects ascending axes, but got [1, 0]}}
  %0 = tenferro.sum %x [1, 0] : tensor<2x3xf64>
  return
}

// -----

func.func @sum_bool(%x: tensor<2xi1>) {
  // expected-error @below {{'tenferro.sum' op expects numbers, but got bool}}
  %0 = tenferro.sum %x [0] : tensor<2xi1>
  return
}

// -----

func.func @max_bool(%x: tensor<2xi1>) {
  // expected-error @below {{'tenferro.max' op expects ordered numbers, but got bool}}
  %0 = tenferro.max %x [0] : tensor<2xi1>
  return
}

// -----

func.func @max_of_nothing(%x: tensor<2x0xi64>) {
  // expected-error @below {{'tenferro.max' op expects at least one element along the reduced axes, but got [2, 0] reduced along [1]}}
  %0 = tenferro.max %x [1] : tensor<2x0xi64>
  return
}
