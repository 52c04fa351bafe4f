// Derivatives of what a user brought go by the user's name for it: by a vjp with the input each term belongs to, inlined by a jvp,
// by a transpose, and at higher orders.
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --explain | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=RULE
// RUN: tenferro-opt %s --tenferro-vjp="function=g" --explain | FileCheck %s --check-prefix=JVP
// RUN: tenferro-opt %s --tenferro-jvp="function=g" --explain | FileCheck %s --check-prefix=FORWARD
// RUN: tenferro-opt %s --tenferro-vjp="function=line" --explain | FileCheck %s --check-prefix=LINE
// RUN: tenferro-opt %s --tenferro-vjp="function=named" --explain | FileCheck %s --check-prefix=NAMED
// RUN: tenferro-opt %s --tenferro-vjp="function=f wrt=2" --tenferro-vjp="function=f_vjp wrt=1" --explain | FileCheck %s --check-prefix=SECOND

// The first input is an integer, so the second tangent of the rule is the third input's.
// VJP-LABEL: func.func @f_vjp
// VJP-NOT: custom_call:
// VJP-NOT: linear_call:
// VJP-DAG: %ct_{{.*}} = tenferro.mul %{{[^/]*}} // weigh: cotangent of operand 1, f.mlir
// VJP-DAG: %ct_{{.*}} = tenferro.szmul %{{[^/]*}} // weigh: cotangent of operand 2, f.mlir
// VJP: return
// RULE: #tenferro.rule<"@weigh", cotangent, operand 2, order 1>
// SECOND-LABEL: func.func @f_vjp_vjp
// SECOND: tenferro.szmul %{{[^/]*}} // szmul: cotangent of operand 0, in weigh: cotangent of operand 2, f.mlir
func.func private @weigh_vjp(%n: tensor<2xi64>, %x: tensor<2xf64>, %w: tensor<2xf64>, %y: tensor<2xf64>, %ct: tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xf64>) {
  %x_bar = tenferro.mul %ct, %w : tensor<2xf64>
  %w_bar = tenferro.szmul %x, %ct : tensor<2xf64>
  return %x_bar, %w_bar : tensor<2xf64>, tensor<2xf64>
}
func.func @f(%n: tensor<2xi64>, %x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<2xf64> {
  %y = tenferro.custom_call "weigh" (%n, %x, %w) {vjp = @weigh_vjp} : (tensor<2xi64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    loc("f.mlir":1:1)
  return %y : tensor<2xf64>
}

// JVP-LABEL: func.func @g_vjp
// JVP: tenferro.mul %{{[^/]*}} // lab.twice.v1: cotangent, g.mlir:1
// FORWARD-LABEL: func.func @g_jvp
// FORWARD: tenferro.mul %{{[^/]*}} // lab.twice.v1: tangent, g.mlir:1
func.func private @twice_jvp(%x: tensor<2xf64>, %y: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %two = tenferro.constant dense<2.0> : tensor<2xf64>
  %d = tenferro.mul %two, %t : tensor<2xf64>
  return %d : tensor<2xf64>
}
func.func @g(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = tenferro.custom_call "lab.twice.v1" (%x) {jvp = @twice_jvp} : (tensor<2xf64>) -> tensor<2xf64> loc("g.mlir":1:1)
  return %y : tensor<2xf64>
}

// LINE-LABEL: func.func @line_vjp
// LINE: tenferro.mul %{{[^/]*}} // turn: cotangent of operand 1, line.mlir:1
func.func private @turn_transpose(%a: tensor<2xi64>, %ct: tensor<2xf64>) -> tensor<2xf64> {
  %three = tenferro.constant dense<3.0> : tensor<2xf64>
  %c = tenferro.mul %three, %ct : tensor<2xf64>
  return %c : tensor<2xf64>
}
func.func @line(%a: tensor<2xi64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  %y = tenferro.custom_call "turn" (%a, %b) {transpose = @turn_transpose, linear = array<i1: false, true>}
    : (tensor<2xi64>, tensor<2xf64>) -> tensor<2xf64> loc("line.mlir":1:1)
  return %y : tensor<2xf64>
}

// A user's name may be a mnemonic: the steps of the rule still claim no operand of the call, and "return" is no seed.
// NAMED-LABEL: func.func @named_vjp
// NAMED: tenferro.mul %{{[^/]*}} // return: cotangent, named.mlir:2
// NAMED: tenferro.mul %{{[^/]*}} // mul: cotangent, named.mlir:1
func.func @named(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = tenferro.custom_call "mul" (%x) {jvp = @twice_jvp} : (tensor<2xf64>) -> tensor<2xf64> loc("named.mlir":1:1)
  %z = tenferro.custom_call "return" (%y) {jvp = @twice_jvp} : (tensor<2xf64>) -> tensor<2xf64> loc("named.mlir":2:1)
  return %z : tensor<2xf64>
}
