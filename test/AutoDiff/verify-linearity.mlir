// RUN: tenferro-opt %s --split-input-file --verify-diagnostics --tenferro-verify-linearity

// Fine: linear in both arguments of an add, a fixed factor, a select between a linear value and zero.
func.func @fine(%s: tensor<2xf64>, %p: tensor<2xi1>, %t: tensor<2xf64>, %u: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {tenferro.linear = array<i64: 2, 3>} {
  %zero = tenferro.constant dense<0.0> : tensor<2xf64>
  %a = tenferro.exp %s : tensor<2xf64>
  %b = tenferro.mul %a, %t : tensor<2xf64>
  %c = tenferro.add %b, %u : tensor<2xf64>
  %d = tenferro.select %p, %c, %zero : tensor<2xi1>, tensor<2xf64>
  return %d, %zero : tensor<2xf64>, tensor<2xf64>
}

// -----

func.func @not_linear(%t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 0>} {
  // expected-error @below {{'tenferro.exp' op expects no linear operand, as it is not a linear operation, but operand 0 depends on a linear argument}}
  %y = tenferro.exp %t : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

func.func @square(%t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 0>} {
  // expected-error @below {{'tenferro.mul' op expects one linear operand, as it is bilinear, but 2 depend on linear arguments}}
  %y = tenferro.mul %t, %t : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

func.func @affine(%s: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 1>} {
  // expected-error @below {{'tenferro.add' op expects linear values or zeros in all operands it is linear in, but operand 0 is neither}}
  %y = tenferro.add %s, %t : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

func.func @denominator(%s: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 1>} {
  // expected-error @below {{'tenferro.div' op expects linear values only in the operands it is linear in, but operand 1 depends on a linear argument}}
  %y = tenferro.div %s, %t : tensor<2xf64>
  return %y : tensor<2xf64>
}

// -----

func.func @fixed_result(%s: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 1>} {
  // expected-error @below {{'func.return' op expects linear values or zeros as results of a linear function, but result 0 is neither}}
  return %s : tensor<2xf64>
}

// -----

// expected-error @below {{attribute 'tenferro.linear' expects arguments in [0, 1), but got 1}}
func.func @out_of_range(%t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 1>} {
  return %t : tensor<2xf64>
}

// -----

// expected-error @below {{attribute 'tenferro.linear' expects distinct arguments, but got 0 twice}}
func.func @twice(%t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = array<i64: 0, 0>} {
  return %t : tensor<2xf64>
}

// -----

// expected-error @below {{attribute 'tenferro.linear' expects arguments of float or complex elements, but argument 0 has type 'tensor<2xi64>'}}
func.func @integers(%t: tensor<2xi64>) -> tensor<2xi64> attributes {tenferro.linear = array<i64: 0>} {
  return %t : tensor<2xi64>
}

// -----

// expected-error @below {{attribute 'tenferro.linear' expects argument numbers as array<i64: ...>}}
func.func @wrong_attribute(%t: tensor<2xf64>) -> tensor<2xf64> attributes {tenferro.linear = 0 : i64} {
  return %t : tensor<2xf64>
}
