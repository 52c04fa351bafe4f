// Programs that cannot be compiled are refused with what is in the way.
// RUN: not tenferro-run %s --entry=scalars f64=1 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not tenferro-run %s --entry=foreign 2xf64=1 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tenferro-run %s --entry=dynamic 2xf64=1 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tenferro-run %s --entry=blocks 2xf64=1 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not tenferro-run %s --entry=outside 2xf64=1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// SCALARS: error: {{.*}}expects a program of tensors of static shape and known dtype, but makes 'f64'
// FOREIGN: error: {{.*}}expects an operation of the tenferro dialect that can be launched
// DYNAMIC: error: {{.*}}expects arguments that are tensors of static shape and known dtype, but got 'tensor<?xf64>'
// BLOCKS: error: {{.*}}expects a body of one block
// OUTSIDE: error: {{.*}}expects a body of one block
func.func private @number() -> f64
func.func @scalars(%x: tensor<f64>) -> tensor<f64> {
  %c = func.call @number() : () -> f64
  return %x : tensor<f64>
}
func.func @foreign(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = arith.addf %x, %x : tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func @dynamic(%x: tensor<?xf64>) -> tensor<?xf64> {
  return %x : tensor<?xf64>
}
func.func @blocks(%x: tensor<2xf64>) -> tensor<2xf64> {
  cf.br ^next
^next:
  return %x : tensor<2xf64>
}
func.func private @outside(tensor<2xf64>) -> tensor<2xf64>
