// RUN: tenferro-opt %s --split-input-file --verify-diagnostics

func.func @operands(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects 2 inputs and 0 captured values among its operands, but got 1}}
  %y = tenferro.custom_call "f" (%x) {inputs = 2 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @results(%x: tensor<4xf64>) {
  // expected-error @+1 {{'tenferro.custom_call' op expects a result}}
  tenferro.custom_call "f" (%x) : (tensor<4xf64>) -> ()
  return
}

// -----

func.func @body(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects 'vjp' to name a function of one block, but got @missing}}
  %y = tenferro.custom_call "f" (%x) {vjp = @missing} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func private @rule(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
func.func @body_type(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects 'jvp' of type '(tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>', but @rule has '(tensor<4xf64>) -> tensor<4xf64>'}}
  %y = tenferro.custom_call "f" (%x) {jvp = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func private @rule(%ct: tensor<4xf64>) -> tensor<4xf64> {
  return %ct : tensor<4xf64>
}
func.func @flags(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects 1 flags in 'linear', one per input where there is a transpose, but got 0}}
  %y = tenferro.custom_call "f" (%x) {transpose = @rule} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func private @rule(%ct: tensor<4xf64>) -> tensor<4xi64> {
  %y = tenferro.cast %ct : tensor<4xf64> to tensor<4xi64>
  return %y : tensor<4xi64>
}
func.func @floats(%x: tensor<4xi64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects floats in linear inputs, but input 0 is 'tensor<4xi64>'}}
  %y = tenferro.custom_call "f" (%x) {transpose = @rule, linear = array<i1: true>} : (tensor<4xi64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @linear(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{'tenferro.linear_call' op expects 'vjp' to name a function of one block, but got @missing}}
  %y = tenferro.linear_call "f" residuals(%x) tangents(%x) {vjp = @missing} : (tensor<4xf64>), (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
