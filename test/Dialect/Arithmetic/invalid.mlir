// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @shapes(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{'tenferro.add' op expects equal shapes, but got [2] and [3]}}
  %0 = tenferro.add %a, %b : tensor<2xf64>, tensor<3xf64>
  return
}

// -----

func.func @dtypes(%a: tensor<2xf64>, %b: tensor<2xf32>) {
  // expected-error @below {{'tenferro.mul' op expects equal dtypes, but got f64 and f32}}
  %0 = tenferro.mul %a, %b : tensor<2xf64>, tensor<2xf32>
  return
}

// -----

// The generic form meets the same rule in the verifier.
func.func @generic(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{'tenferro.sub' op expects equal shapes, but got [2] and [3]}}
  %0 = "tenferro.sub"(%a, %b) : (tensor<2xf64>, tensor<3xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @result(%a: tensor<2xf64>) {
  // expected-error @below {{'tenferro.add' op expects a result of 'tensor<2xf64>', but got 'tensor<3xf64>'}}
  %0 = "tenferro.add"(%a, %a) : (tensor<2xf64>, tensor<2xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @bool_sub(%a: tensor<2xi1>) {
  // expected-error @below {{'tenferro.sub' op expects numbers, but got bool}}
  %0 = tenferro.sub %a, %a : tensor<2xi1>
  return
}

// -----

func.func @bool_neg(%a: tensor<2xi1>) {
  // expected-error @below {{'tenferro.neg' op expects a number, but got bool}}
  %0 = tenferro.neg %a : tensor<2xi1>
  return
}

// -----

func.func @bool_maximum(%a: tensor<2xi1>) {
  // expected-error @below {{'tenferro.maximum' op expects ordered numbers, but got bool}}
  %0 = tenferro.maximum %a, %a : tensor<2xi1>
  return
}

// -----

func.func @integer_szmul(%a: tensor<2xi64>) {
  // expected-error @below {{'tenferro.szmul' op expects floats, but got i64}}
  %0 = tenferro.szmul %a, %a : tensor<2xi64>
  return
}

// -----

// What the dialect's types leave out.
func.func @half(%a: tensor<2xf16>) {
  // expected-error @below {{'tenferro.neg' op operand #0 must be statically shaped tensor of}}
  %0 = "tenferro.neg"(%a) : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @unknown_extent(%a: tensor<?xf64>) {
  // expected-error @below {{'tenferro.abs' op operand #0 must be statically shaped tensor of}}
  %0 = "tenferro.abs"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @step_integer(%x: tensor<2xi64>) {
  // expected-error @below {{'tenferro.floor' op expects a real float, but got i64}}
  %0 = tenferro.floor %x : tensor<2xi64>
  return
}

// -----

func.func @rem_bool(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error @below {{'tenferro.rem' op expects ordered numbers, but got bool}}
  %0 = tenferro.rem %a, %b : tensor<2xi1>
  return
}

// -----

func.func @floor_divide_shapes(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{'tenferro.floor_divide' op expects equal shapes, but got [2] and [3]}}
  %0 = tenferro.floor_divide %a, %b : tensor<2xf64>, tensor<3xf64>
  return
}

// -----

func.func @clamp_bool(%x: tensor<2xi1>, %l: tensor<2xi1>, %u: tensor<2xi1>) {
  // expected-error @below {{'tenferro.clamp' op expects ordered numbers, but got bool}}
  %0 = tenferro.clamp %x, %l, %u : tensor<2xi1>
  return
}

// -----

func.func @clamp_lower(%x: tensor<2xf64>, %l: tensor<3xf64>, %u: tensor<2xf64>) {
  // expected-error @below {{'tenferro.clamp' op expects equal shapes, but got [2] and [3]}}
  %0 = tenferro.clamp %x, %l, %u : tensor<2xf64>, tensor<3xf64>, tensor<2xf64>
  return
}

// -----

func.func @clamp_upper(%x: tensor<2xf64>, %l: tensor<2xf64>, %u: tensor<2xf32>) {
  // expected-error @below {{'tenferro.clamp' op expects equal dtypes, but got f64 and f32}}
  %0 = tenferro.clamp %x, %l, %u : tensor<2xf64>, tensor<2xf64>, tensor<2xf32>
  return
}
