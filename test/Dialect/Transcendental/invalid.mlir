// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @integer(%x: tensor<2xi64>) {
  // expected-error @below {{'tenferro.exp' op expects a float, but got i64}}
  %0 = tenferro.exp %x : tensor<2xi64>
  return
}

// -----

func.func @boolean(%x: tensor<2xi1>) {
  // expected-error @below {{'tenferro.sqrt' op expects a float, but got bool}}
  %0 = tenferro.sqrt %x : tensor<2xi1>
  return
}

// -----

func.func @real_integer(%x: tensor<2xi32>) {
  // expected-error @below {{'tenferro.cbrt' op expects a real float, but got i32}}
  %0 = tenferro.cbrt %x : tensor<2xi32>
  return
}

// -----

func.func @pair_integer(%a: tensor<2xi64>, %b: tensor<2xi64>) {
  // expected-error @below {{'tenferro.atan2' op expects real floats, but got i64}}
  %0 = tenferro.atan2 %a, %b : tensor<2xi64>
  return
}

// -----

func.func @pair_shapes(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{'tenferro.hypot' op expects equal shapes, but got [2] and [3]}}
  %0 = tenferro.hypot %a, %b : tensor<2xf64>, tensor<3xf64>
  return
}

// -----

func.func @pair_dtypes(%a: tensor<2xf64>, %b: tensor<2xf32>) {
  // expected-error @below {{'tenferro.logaddexp' op expects equal dtypes, but got f64 and f32}}
  %0 = tenferro.logaddexp %a, %b : tensor<2xf64>, tensor<2xf32>
  return
}
