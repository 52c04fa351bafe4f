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
