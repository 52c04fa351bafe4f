// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @contracting_extents(%a: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects equal extents along contracting axes 1 and 0, but got [2, 3] and [2, 3]}}
  %0 = tenferro.dot_general %a, %a contracting [1] x [0] : tensor<2x3xf64>, tensor<2x3xf64>
  return
}

// -----

func.func @batch_extents(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects equal extents along batch axes 0 and 1, but got [2, 3] and [3, 4]}}
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] batch [0] x [1] : tensor<2x3xf64>, tensor<3x4xf64>
  return
}

// -----

func.func @contracting_count(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects as many contracting axes on both sides, but got [1, 0] and [0]}}
  %0 = tenferro.dot_general %a, %b contracting [1, 0] x [0] : tensor<2x3xf64>, tensor<3x2xf64>
  return
}

// -----

func.func @batch_count(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects as many batch axes on both sides, but got [0] and []}}
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] batch [0] x [] : tensor<2x3xf64>, tensor<3x2xf64>
  return
}

// -----

func.func @axis_twice(%a: tensor<2x3xf64>, %b: tensor<3x3xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects distinct axes, but got [1, 1]}}
  %0 = tenferro.dot_general %a, %b contracting [1, 1] x [0, 1] : tensor<2x3xf64>, tensor<3x3xf64>
  return
}

// -----

func.func @axis(%a: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.dot_general' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.dot_general %a, %a contracting [2] x [0] : tensor<2x3xf64>, tensor<2x3xf64>
  return
}

// -----

func.func @bool(%a: tensor<2xi1>) {
  // expected-error @below {{'tenferro.dot_general' op expects numbers, but got bool}}
  %0 = tenferro.dot_general %a, %a contracting [0] x [0] : tensor<2xi1>, tensor<2xi1>
  return
}

// -----

func.func @dtypes(%a: tensor<2xf64>, %b: tensor<2xf32>) {
  // expected-error @below {{'tenferro.dot_general' op expects equal dtypes, but got f64 and f32}}
  %0 = tenferro.dot_general %a, %b contracting [0] x [0] : tensor<2xf64>, tensor<2xf32>
  return
}
