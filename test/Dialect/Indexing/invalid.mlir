// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @take_bool(%x: tensor<5xf64>, %i: tensor<2xi1>) {
  // expected-error @below {{'tenferro.take' op expects integer indices, but got bool}}
  %0 = tenferro.take %x[%i] axis 0 : tensor<5xf64>, tensor<2xi1>
  return
}

// -----

func.func @take_axis(%x: tensor<5xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.take' op expects axes in [0, 1), but got 1}}
  %0 = tenferro.take %x[%i] axis 1 : tensor<5xf64>, tensor<2xi64>
  return
}

// -----

func.func @scatter_rank(%u: tensor<2xf64>, %i: tensor<2x2x2xi64>) {
  // expected-error @below {{'tenferro.scatter_add' op expects updates with the axes of the indices, but got [2] and [2, 2, 2]}}
  %0 = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2xf64>, tensor<2x2x2xi64>
  return
}

// -----

func.func @scatter_axis(%u: tensor<2x3xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.scatter_add' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.scatter_add %u at %i axis 2 extent 5 : tensor<2x3xf64>, tensor<2xi64>
  return
}

// -----

func.func @scatter_shape(%u: tensor<2x3xf64>, %i: tensor<4xi64>) {
  // expected-error @below {{'tenferro.scatter_add' op expects updates whose axes from 1 are those of the indices, but got [2, 3] and [4]}}
  %0 = tenferro.scatter_add %u at %i axis 1 extent 5 : tensor<2x3xf64>, tensor<4xi64>
  return
}

// -----

func.func @scatter_extent(%u: tensor<2x3xf64>, %i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.scatter_add' op expects an extent of at least 0, but got -1}}
  %0 = tenferro.scatter_add %u at %i axis 0 extent -1 : tensor<2x3xf64>, tensor<2xi64>
  return
}

// -----

func.func @scatter_bool(%u: tensor<2x3xi1>, %i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.scatter_add' op expects numbers, but got bool}}
  %0 = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2x3xi1>, tensor<2xi64>
  return
}

// -----

func.func @one_hot_dtype(%i: tensor<2xf64>) {
  // expected-error @below {{'tenferro.one_hot' op expects integer indices, but got f64}}
  %0 = tenferro.one_hot %i depth 3 axis 1 : tensor<2xf64> to tensor<2x3xf64>
  return
}

// -----

func.func @one_hot_depth(%i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.one_hot' op expects a depth of at least 0, but got -1}}
  %0 = tenferro.one_hot %i depth -1 axis 1 : tensor<2xi64> to tensor<2x3xf64>
  return
}

// -----

func.func @one_hot_axis(%i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.one_hot' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.one_hot %i depth 3 axis 2 : tensor<2xi64> to tensor<2x3xf64>
  return
}

// -----

func.func @one_hot_result(%i: tensor<2xi64>) {
  // expected-error @below {{'tenferro.one_hot' op expects a result of 'tensor<2x3xf64>', but got 'tensor<3x2xf64>'}}
  %0 = tenferro.one_hot %i depth 3 axis 1 : tensor<2xi64> to tensor<3x2xf64>
  return
}
