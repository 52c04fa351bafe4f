// Every operation of a derivative is either the copy of a primal one, at its place, or names the primal operation, what the
// rule makes and the order. Merging and simplifying lose none of it.
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --mlir-print-debuginfo --mlir-print-local-scope > %t.first
// RUN: FileCheck %s --check-prefix=FIRST < %t.first
// RUN: awk '/= tenferro/ && !/tenferro.rule/ && !/ loc[(]"primal/ { print; bad = 1 } END { exit bad }' %t.first
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --tenferro-vjp="function=f_vjp" --mlir-print-debuginfo --mlir-print-local-scope > %t.second
// RUN: FileCheck %s --check-prefix=SECOND < %t.second
// RUN: awk '/= tenferro/ && !/tenferro.rule/ && !/ loc[(]"primal/ { print; bad = 1 } END { exit bad }' %t.second
// RUN: tenferro-opt %s --tenferro-vjp="function=f" --tenferro-simplify --tenferro-cse --mlir-print-debuginfo --mlir-print-local-scope > %t.merged
// RUN: awk '/= tenferro/ && !/tenferro.rule/ && !/tenferro.constant/ && !/"primal/ { print; bad = 1 } END { exit bad }' %t.merged

// FIRST-LABEL: func.func @f_vjp
// FIRST: tenferro.exp {{.*}} loc("primal 1")
// FIRST-DAG: loc(fused<#tenferro.rule<"mul", cotangent, operand 0, order 1>>["ct_primal 1"("primal 2")])
// FIRST-DAG: loc(fused<#tenferro.rule<"mul", cotangent, operand 1, order 1>>["ct_arg"("primal 2")])
// FIRST-DAG: loc(fused<#tenferro.rule<"exp", cotangent, operand -1, order 1>>["ct_arg"("primal 1")])
// FIRST: #tenferro.rule<"return", cotangent, operand -1, order 1>

// SECOND-LABEL: func.func @f_vjp_vjp
// SECOND-DAG: loc(fused<#tenferro.rule<"mul", cotangent, operand {{-?[01]}}, order 2>>["{{[a-z_0-9 ]*}}"(fused<#tenferro.rule<"mul", cotangent, operand {{[01]}}, order 1>>["{{[a-z_0-9 ]*}}"("primal 2")])])
func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %a = tenferro.exp %x : tensor<4xf64> loc("primal 1")
  %b = tenferro.mul %a, %y : tensor<4xf64> loc("primal 2")
  return %b : tensor<4xf64> loc("primal 3")
}
