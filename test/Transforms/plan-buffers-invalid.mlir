// What cannot be planned is said, with the type or the terminator that is wrong.
// RUN: tenferro-opt %s --split-input-file --verify-diagnostics --tenferro-plan-buffers

func.func @scalar_constant(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{expects a program of tensors of static shape and known dtype, but makes 'f64'}}
  %c = arith.constant 1.0 : f64
  return %x : tensor<4xf64>
}

// -----

func.func @complex_constant() {
  // expected-error @below {{expects a program of tensors of static shape and known dtype, but makes 'tensor<2xcomplex<f64>>'}}
  %c = arith.constant dense<(1.0, 0.0)> : tensor<2xcomplex<f64>>
  return
}

// -----

// expected-error @below {{expects arguments that are tensors of static shape and known dtype, but got 'tensor<2xf16>'}}
func.func @argument(%x: tensor<2xf16>) {
  return
}

// -----

// expected-error @below {{expects a body of one block}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @below {{expects a function that returns, but got 'llvm.unreachable' at its end}}
func.func @unreachable() {
  llvm.unreachable
}
