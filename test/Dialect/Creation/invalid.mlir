// RUN: tenferro-opt %s --verify-diagnostics --split-input-file

func.func @iota_axis() {
  // expected-error @below {{'tenferro.iota' op expects axes in [0, 1), but got 1}}
  %0 = tenferro.iota axis 1 : tensor<2xf64>
  return
}

// -----

func.func @iota_bool() {
  // expected-error @below {{'tenferro.iota' op expects a number, but got bool}}
  %0 = tenferro.iota axis 0 : tensor<2xi1>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{'tenferro.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "tenferro.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<2xf64>
  return
}
