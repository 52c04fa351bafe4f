// Bodies that lead back to themselves have no end.
// RUN: tenferro-opt %s --tenferro-inline-custom-calls --split-input-file --verify-diagnostics

func.func @self(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'tenferro.custom_call' op expects a 'primal' that does not call itself, but @self does, directly or through others}}
  %y = tenferro.custom_call "self" (%x) {primal = @self} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// -----

func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{expects a 'primal' that does not call itself, but @b does, directly or through others}}
  %y = tenferro.custom_call "b" (%x) {primal = @b} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  %z = tenferro.custom_call "leaf" (%x) {primal = @leaf} : (tensor<f64>) -> tensor<f64>
  %y = tenferro.custom_call "a" (%z) {primal = @a} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @leaf(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "a" (%x) {primal = @a} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
