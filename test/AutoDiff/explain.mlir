// --explain: behind each operation the primal operation, the term its rule made, and the line it was written on; the text is IR
// that can be read again.
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --explain > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tenferro-opt %t.mlir | tenferro-opt | FileCheck %s --check-prefix=AGAIN
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --tenferro-vjp="function=f_vjp" --explain | FileCheck %s --check-prefix=SECOND
// RUN: tenferro-opt %s --tenferro-jvp="function=f" --explain | FileCheck %s --check-prefix=FORWARD

// CHECK-LABEL: func.func @f(
// CHECK: tenferro.exp %{{.*}} // exponential
// CHECK-LABEL: func.func @f_vjp
// CHECK: tenferro.exp %{{[^/]*}} // exponential{{$}}
// CHECK: %[[Y:.*]] = tenferro.mul %{{[^/]*}} // product{{$}}
// CHECK-DAG: tenferro.mul %{{[^/]*}} // mul: cotangent of operand 0, product{{$}}
// CHECK-DAG: tenferro.mul %{{[^/]*}} // mul: cotangent of operand 1, product{{$}}
// CHECK-DAG: tenferro.szmul %{{[^/]*}} // exp: cotangent, exponential{{$}}
// CHECK: return

// AGAIN-LABEL: func.func @f_vjp
// AGAIN: tenferro.szmul

// SECOND-LABEL: func.func @f_vjp_vjp
// SECOND: // mul: cotangent of operand {{[01]}}, in mul: cotangent of operand {{[01]}}, product

// FORWARD-LABEL: func.func @f_jvp
// FORWARD: // exp: tangent, exponential
// FORWARD: // mul: tangent, product
func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %a = tenferro.exp %x : tensor<4xf64> loc("exponential")
  %b = tenferro.mul %a, %y : tensor<4xf64> loc("product")
  return %b : tensor<4xf64> loc("end")
}
