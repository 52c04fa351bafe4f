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

// -----

func.func @prod_bool(%x: tensor<2xi1>) {
  // expected-error @below {{'tenferro.prod' op expects numbers, but got bool}}
  %0 = tenferro.prod %x [0] : tensor<2xi1>
  return
}

// -----

func.func @any_of_numbers(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.any' op expects bool, but got f64}}
  %0 = tenferro.any %x [0] : tensor<2xf64>
  return
}

// -----

func.func @all_twice(%x: tensor<2x3xi1>) {
  // expected-error @below {{'tenferro.all' op expects distinct axes, but got [0, 0]}}
  %0 = tenferro.all %x [0, 0] : tensor<2x3xi1>
  return
}

// -----

func.func @argmax_of_nothing(%x: tensor<0x3xf64>) {
  // expected-error @below {{'tenferro.argmax' op expects at least one element along the reduced axes, but got [0, 3] reduced along [0]}}
  %0 = tenferro.argmax %x axis 0 : tensor<0x3xf64>
  return
}

// -----

func.func @argmin_axis(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.argmin' op expects axes in [0, 1), but got 1}}
  %0 = tenferro.argmin %x axis 1 : tensor<3xf64>
  return
}

// -----

func.func @argmin_bool(%x: tensor<3xi1>) {
  // expected-error @below {{'tenferro.argmin' op expects ordered numbers, but got bool}}
  %0 = tenferro.argmin %x axis 0 : tensor<3xi1>
  return
}

// -----

func.func @cumsum_bool(%x: tensor<3xi1>) {
  // expected-error @below {{'tenferro.cumsum' op expects numbers, but got bool}}
  %0 = tenferro.cumsum forward %x axis 0 : tensor<3xi1>
  return
}

// -----

func.func @cumsum_axis(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.cumsum' op expects axes in [0, 1), but got -1}}
  %0 = tenferro.cumsum reverse %x axis -1 : tensor<3xf64>
  return
}
