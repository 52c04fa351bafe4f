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

// -----

func.func @gather_indices(%x: tensor<4x3xf64>, %i: tensor<2x1xf64>) {
  // expected-error @below {{'tenferro.gather' op expects integer indices, but got f64}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xf64>
  return
}

// -----

func.func @gather_vector(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects axes in [0, 3), but got 3}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0] vector 3 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_map_length(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects start_index_map with an entry for each of 1 components, but got [0, 1]}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0, 1] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_map_axis(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [2] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_map_twice(%x: tensor<4x3xf64>, %i: tensor<2x2xi64>) {
  // expected-error @below {{'tenferro.gather' op expects distinct axes, but got [0, 0]}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0, 0] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x2xi64>
  return
}

// -----

func.func @gather_axes_named(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects offset_dims and collapsed_slice_dims to name each of 2 axes once, but got []}}
  %0 = tenferro.gather %x[%i] offset [] collapsed [0] map [0] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_offset_axis(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.gather %x[%i] offset [2] collapsed [0] map [0] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_offset_order(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects ascending offset_dims, but got [2, 1]}}
  %0 = tenferro.gather %x[%i] offset [2, 1] collapsed [] map [0] vector 1 sizes [1, 1] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_collapsed_axis(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [2] map [0] vector 1 sizes [1, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_collapsed_order(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects ascending collapsed_slice_dims, but got [1, 0]}}
  %0 = tenferro.gather %x[%i] offset [] collapsed [1, 0] map [0] vector 1 sizes [1, 1] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_collapsed_size(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects slice_sizes of 1 at collapsed axes, but got [2, 3]}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0] vector 1 sizes [2, 3] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_sizes_length(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects slice_sizes with one entry per axis of [4, 3], but got [1]}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0] vector 1 sizes [1] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @gather_sizes_bounds(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>) {
  // expected-error @below {{'tenferro.gather' op expects slice_sizes in [0, extent] of [4, 3], but got [1, 4]}}
  %0 = tenferro.gather %x[%i] offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] error : tensor<4x3xf64>, tensor<2x1xi64>
  return
}

// -----

func.func @scatter_dtype(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'tenferro.scatter' op expects updates of the operand's dtype, but got f64 and f32}}
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x3xf32>
  return
}

// -----

func.func @scatter_bool(%x: tensor<4x3xi1>, %i: tensor<2x1xi64>, %u: tensor<2x3xi1>) {
  // expected-error @below {{'tenferro.scatter' op expects numbers, but got bool}}
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xi1>, tensor<2x1xi64>, tensor<2x3xi1>
  return
}

// -----

func.func @scatter_rank(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>, %u: tensor<2x3x1xf64>) {
  // expected-error @below {{'tenferro.scatter' op expects updates with the axes of the windows and of the indices, but got [2, 3, 1]}}
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x3x1xf64>
  return
}

// -----

func.func @scatter_window(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>, %u: tensor<2x4xf64>) {
  // expected-error @below {{'tenferro.scatter' op expects windows no larger than the operand, but got [2, 4] and [4, 3]}}
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x4xf64>
  return
}

// -----

func.func @scatter_batch(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>, %u: tensor<5x3xf64>) {
  // expected-error @below {{'tenferro.scatter' op expects updates of [2, 3], but got [5, 3] and [2, 1]}}
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<5x3xf64>
  return
}

// -----

func.func @scatter_update(%x: tensor<4xf64>, %i: tensor<1xi64>, %u: tensor<1xf64>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'update' [add, mul, max, min, set]}}
  %0 = tenferro.scatter %x[%i] xor %u window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<1xi64>, tensor<1xf64>
  return
}

// -----

func.func @scatter_prefix_dtype(%x: tensor<4xf64>, %i: tensor<1xi64>, %f: tensor<1xf32>, %a: tensor<1xf32>) {
  // expected-error @below {{'tenferro.scatter_prefix' op expects factors and addends of the operand's dtype, but got f64 and f32}}
  %0 = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<1xi64>, tensor<1xf32>
  return
}

// -----

func.func @scatter_prefix_bool(%x: tensor<4xi1>, %i: tensor<1xi64>, %f: tensor<1xi1>, %a: tensor<1xi1>) {
  // expected-error @below {{'tenferro.scatter_prefix' op expects numbers, but got bool}}
  %0 = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error : tensor<4xi1>, tensor<1xi64>, tensor<1xi1>
  return
}

// -----

func.func @scatter_prefix_shapes(%x: tensor<4xf64>, %i: tensor<1xi64>, %f: tensor<1xf64>, %a: tensor<2xf64>) {
  // expected-error @below {{'tenferro.scatter_prefix' op expects factors and addends of one shape, but got [1] and [2]}}
  %0 = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<1xi64>, tensor<1xf64>, tensor<2xf64>
  return
}

// -----

func.func @scatter_prefix_batch(%x: tensor<4xf64>, %i: tensor<1xi64>, %f: tensor<2xf64>, %a: tensor<2xf64>) {
  // expected-error @below {{'tenferro.scatter_prefix' op expects updates of [1], but got [2] and [1]}}
  %0 = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<1xi64>, tensor<2xf64>
  return
}
