// Element types and encodings the dialect has not, by the type that is wrong.
// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @half(%x: tensor<4xf16>) {
  // expected-error @below {{'tenferro.neg' op expects tensors of static shape and known dtype, but got 'tensor<4xf16>'}}
  %y = tenferro.neg %x : tensor<4xf16>
  return
}

// -----

func.func @dynamic(%x: tensor<?xf64>) {
  // expected-error @below {{'tenferro.add' op expects tensors of static shape and known dtype, but got 'tensor<?xf64>'}}
  %y = tenferro.add %x, %x : tensor<?xf64>
  return
}

// -----

func.func @encoding(%x: tensor<4xf64, "packed">) {
  // expected-error @below {{'tenferro.neg' op expects tensors of static shape and known dtype, but got 'tensor<4xf64, "packed">'}}
  %y = tenferro.neg %x : tensor<4xf64, "packed">
  return
}

// -----

func.func @result_encoding(%x: tensor<4xf32>) {
  // expected-error @below {{'tenferro.convert' op expects tensors of static shape and known dtype, but got 'tensor<4xf64, "packed">'}}
  %y = tenferro.convert %x : tensor<4xf32> to tensor<4xf64, "packed">
  return
}
