// A jvp rule that is not linear in its tangents is an error where it is used, forward and in reverse: ignoring them would be a
// gradient of zero that nobody asked for.
// RUN: tenferro-opt %s --split-input-file --verify-diagnostics --tenferro-jvp="function=f"
// RUN: tenferro-opt %s --split-input-file --verify-diagnostics --tenferro-vjp="function=f"
// RUN: tenferro-opt %s --split-input-file --verify-diagnostics --tenferro-linearize="function=f"

func.func private @ignores(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.exp %x : tensor<f64>
  return %d : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{'exp' expects a jvp rule that is linear in its tangents, but 'func.return' op expects linear values or zeros as results of a linear function, but result 0 is neither}}
  %y = tenferro.custom_call "exp" (%x) {jvp = @ignores} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// -----

func.func private @affine(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.add %t, %x : tensor<f64>
  return %d : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{'shift' expects a jvp rule that is linear in its tangents, but 'tenferro.add' op expects linear values or zeros in all operands it is linear in, but operand 1 is neither}}
  %y = tenferro.custom_call "shift" (%x) {jvp = @affine} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// -----

// The second of two tangents is squared; what a rule captured comes before them.
func.func private @squares(%x: tensor<f64>, %z: tensor<f64>, %w: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>, %u: tensor<f64>) -> tensor<f64> {
  %a = tenferro.mul %w, %t : tensor<f64>
  %s = tenferro.mul %u, %u : tensor<f64>
  %d = tenferro.add %a, %s : tensor<f64>
  return %d : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %w = tenferro.constant dense<2.0> : tensor<f64>
  // expected-error @below {{'lab.squares.v1' expects a jvp rule that is linear in its tangents, but 'tenferro.mul' op expects one linear operand, as it is bilinear, but 2 depend on linear arguments}}
  %y = tenferro.custom_call "lab.squares.v1" (%x, %x, %w) {inputs = 2 : i64, jvp = @squares} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// -----

// Fine: a tangent that is zero on purpose, and one that only an operation nothing is known of reads.
func.func private @zero(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.constant dense<0.0> : tensor<f64>
  return %d : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "flat" (%x) {jvp = @zero} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
