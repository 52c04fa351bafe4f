// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @compare_shapes(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{'tenferro.compare' op expects equal shapes, but got [2] and [3]}}
  %0 = tenferro.compare eq, %a, %b : tensor<2xf64>, tensor<3xf64>
  return
}

// -----

func.func @compare_direction(%a: tensor<2xf64>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'direction' [eq, ne, lt, le, gt, ge]}}
  %0 = tenferro.compare lessish, %a, %a : tensor<2xf64>
  return
}

// -----

func.func @select_predicate_dtype(%p: tensor<2xf64>, %a: tensor<2xf64>) {
  // expected-error @below {{'tenferro.select' op expects a predicate of bool, but got f64}}
  %0 = tenferro.select %p, %a, %a : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

func.func @select_predicate_shape(%p: tensor<3xi1>, %a: tensor<2xf64>) {
  // expected-error @below {{'tenferro.select' op expects a predicate of the branches' shape, but got [3] and [2]}}
  %0 = tenferro.select %p, %a, %a : tensor<3xi1>, tensor<2xf64>
  return
}

// -----

func.func @select_branches(%p: tensor<2xi1>, %a: tensor<2xf64>, %b: tensor<2xf32>) {
  // expected-error @below {{'tenferro.select' op expects equal dtypes, but got f64 and f32}}
  %0 = tenferro.select %p, %a, %b : tensor<2xi1>, tensor<2xf64>, tensor<2xf32>
  return
}

// -----

func.func @convert_lossy(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.convert' op expects a result that holds every value of f64, but got f32}}
  %0 = tenferro.convert %x : tensor<2xf64> to tensor<2xf32>
  return
}

// -----

func.func @convert_shape(%x: tensor<2xf32>) {
  // expected-error @below {{'tenferro.convert' op expects a result of 'tensor<2xf64>', but got 'tensor<3xf64>'}}
  %0 = tenferro.convert %x : tensor<2xf32> to tensor<3xf64>
  return
}

// -----

func.func @cast_shape(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.cast' op expects a result of 'tensor<2xi32>', but got 'tensor<2x1xi32>'}}
  %0 = tenferro.cast %x : tensor<2xf64> to tensor<2x1xi32>
  return
}

// -----

func.func @is_nan_integer(%x: tensor<2xi64>) {
  // expected-error @below {{'tenferro.is_nan' op expects a real float, but got i64}}
  %0 = tenferro.is_nan %x : tensor<2xi64>
  return
}
