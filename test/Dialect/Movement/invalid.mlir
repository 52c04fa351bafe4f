// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @reshape_elements(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.reshape' op expects a shape of as many elements, but got [2, 3] to [4]}}
  %0 = tenferro.reshape %x : tensor<2x3xf64> to tensor<4xf64>
  return
}

// -----

func.func @reshape_dtype(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.reshape' op expects a result of 'tensor<6xf64>', but got 'tensor<6xf32>'}}
  %0 = tenferro.reshape %x : tensor<2x3xf64> to tensor<6xf32>
  return
}

// -----

func.func @transpose_length(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.transpose' op expects a permutation of [0, 2), but got [0]}}
  %0 = tenferro.transpose %x [0] : tensor<2x3xf64>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.transpose' op expects a permutation of [0, 2), but got [0, 0]}}
  %0 = tenferro.transpose %x [0, 0] : tensor<2x3xf64>
  return
}

// -----

func.func @transpose_axis(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.transpose' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.transpose %x [0, 2] : tensor<2x3xf64>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.broadcast_in_dim' op expects one result axis per axis of [3], but got []}}
  %0 = tenferro.broadcast_in_dim %x [] : tensor<3xf64> to tensor<3x3xf64>
  return
}

// -----

func.func @broadcast_axis(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.broadcast_in_dim' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.broadcast_in_dim %x [2] : tensor<3xf64> to tensor<3x3xf64>
  return
}

// -----

func.func @broadcast_twice(%x: tensor<3x3xf64>) {
  // expected-error @below {{'tenferro.broadcast_in_dim' op expects distinct axes, but got [1, 1]}}
  %0 = tenferro.broadcast_in_dim %x [1, 1] : tensor<3x3xf64> to tensor<3x3xf64>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.broadcast_in_dim' op expects extents of 1 or of the result's axes [0], but got [3] and [2, 3]}}
  %0 = tenferro.broadcast_in_dim %x [0] : tensor<3xf64> to tensor<2x3xf64>
  return
}

// -----

func.func @slice_rank(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.slice' op expects limits with one entry per axis of [3], but got [3, 1]}}
  %0 = tenferro.slice %x [0] to [3, 1] step [1] : tensor<3xf64>
  return
}

// -----

func.func @slice_limit(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.slice' op expects 0 <= start <= limit <= extent, but got start 0, limit 4, extent 3 at axis 0}}
  %0 = tenferro.slice %x [0] to [4] step [1] : tensor<3xf64>
  return
}

// -----

func.func @slice_start(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.slice' op expects 0 <= start <= limit <= extent, but got start -1, limit 2, extent 3 at axis 0}}
  %0 = tenferro.slice %x [-1] to [2] step [1] : tensor<3xf64>
  return
}

// -----

func.func @slice_step(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.slice' op expects strides of at least 1, but got [0]}}
  %0 = tenferro.slice %x [0] to [3] step [0] : tensor<3xf64>
  return
}

// -----

func.func @pad_rank(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.pad' op expects high with one entry per axis of [3], but got []}}
  %0 = tenferro.pad %x low [0] high [] interior [0] : tensor<3xf64>
  return
}

// -----

func.func @pad_negative(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.pad' op expects padding of at least 0, but got low [-1], high [0], interior [0]}}
  %0 = tenferro.pad %x low [-1] high [0] interior [0] : tensor<3xf64>
  return
}

// -----

func.func @pad_overflow(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.pad' op expects a shape of less than 2^62 bytes, but got low [9223372036854775807], high [0], interior [0]}}
  %0 = tenferro.pad %x low [9223372036854775807] high [0] interior [0] : tensor<3xf64>
  return
}

// -----

func.func @pad_too_large(%x: tensor<3xf64>) {
  // expected-error @below {{'tenferro.pad' op expects non-negative extents of less than 2^62 bytes, but got [1000000000000000003]}}
  %0 = tenferro.pad %x low [1000000000000000000] high [0] interior [0] : tensor<3xf64>
  return
}

// -----

func.func @concatenate_nothing() {
  // expected-error @below {{'tenferro.concatenate' op expects at least one tensor}}
  %0 = "tenferro.concatenate"() {axis = 0 : i64} : () -> tensor<0xf64>
  return
}

// -----

func.func @concatenate_axis(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.concatenate' op expects axes in [0, 1), but got 1}}
  %0 = tenferro.concatenate %x, %x axis 1 : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

func.func @concatenate_dtypes(%x: tensor<2xf64>, %y: tensor<2xf32>) {
  // expected-error @below {{'tenferro.concatenate' op expects tensors of one dtype, but got f64 and f32}}
  %0 = tenferro.concatenate %x, %y axis 0 : tensor<2xf64>, tensor<2xf32>
  return
}

// -----

func.func @concatenate_ranks(%x: tensor<2xf64>, %y: tensor<2x1xf64>) {
  // expected-error @below {{'tenferro.concatenate' op expects tensors of one rank, but got [2] and [2, 1]}}
  %0 = tenferro.concatenate %x, %y axis 0 : tensor<2xf64>, tensor<2x1xf64>
  return
}

// -----

func.func @concatenate_shapes(%x: tensor<2x3xf64>, %y: tensor<2x4xf64>) {
  // expected-error @below {{'tenferro.concatenate' op expects equal shapes apart from axis 0, but got [2, 3] and [2, 4]}}
  %0 = tenferro.concatenate %x, %y axis 0 : tensor<2x3xf64>, tensor<2x4xf64>
  return
}

// -----

func.func @concatenate_too_large(%x: tensor<0x4611686018427387000xi1>) {
  // expected-error @below {{'tenferro.concatenate' op expects non-negative extents of less than 2^62 bytes, but got [0, 4611686018427387000]}}
  %0 = tenferro.concatenate %x axis 0 : tensor<0x4611686018427387000xi1>
  return
}

// -----

func.func @reverse_axis(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.reverse' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.reverse %x [2] : tensor<2x3xf64>
  return
}

// -----

func.func @reverse_twice(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.reverse' op expects distinct axes, but got [0, 0]}}
  %0 = tenferro.reverse %x [0, 0] : tensor<2x3xf64>
  return
}

// -----

func.func @extract_diag_axis(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.extract_diag' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.extract_diag %x axes 0, 2 : tensor<2x3xf64>
  return
}

// -----

func.func @extract_diag_twice(%x: tensor<2x3xf64>) {
  // expected-error @below {{'tenferro.extract_diag' op expects distinct axes, but got [1, 1]}}
  %0 = tenferro.extract_diag %x axes 1, 1 : tensor<2x3xf64>
  return
}

// -----

func.func @embed_diag_axis(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.embed_diag' op expects axes in [0, 2), but got 2}}
  %0 = tenferro.embed_diag %x axes 0, 2 : tensor<2xf64>
  return
}

// -----

func.func @embed_diag_twice(%x: tensor<2xf64>) {
  // expected-error @below {{'tenferro.embed_diag' op expects distinct axes, but got [0, 0]}}
  %0 = tenferro.embed_diag %x axes 0, 0 : tensor<2xf64>
  return
}

// -----

func.func @embed_diag_scalar(%x: tensor<f64>) {
  // expected-error @below {{'tenferro.embed_diag' op expects axes in [0, 1), but got 1}}
  %0 = tenferro.embed_diag %x axes 0, 1 : tensor<f64>
  return
}
