// What the transforms refuse, with the facts.
// RUN: split-file %s %t
// RUN: not tenferro-opt %t/one.mlir --tenferro-vjp="function=g" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tenferro-opt %t/two.mlir --tenferro-vjp 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tenferro-opt %t/one.mlir --tenferro-vjp="wrt=3" 2>&1 | FileCheck %s --check-prefix=WRT
// RUN: not tenferro-opt %t/two.mlir --tenferro-vjp="function=f result=g" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not tenferro-opt %t/call.mlir --tenferro-jvp="function=f" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not tenferro-opt %t/blocks.mlir --tenferro-jvp 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not tenferro-opt %t/one.mlir --tenferro-transpose="function=f" 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: not tenferro-opt %t/frozen.mlir --tenferro-freeze 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not tenferro-opt %t/scalar.mlir --tenferro-vjp="seed-ones" 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tenferro-opt %t/dynamic.mlir --tenferro-jvp 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tenferro-opt %t/half.mlir --tenferro-jvp="wrt=0,0" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not tenferro-opt %t/unused.mlir --tenferro-linearize 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not tenferro-opt %t/end.mlir --tenferro-vjp 2>&1 | FileCheck %s --check-prefix=END
// RUN: not tenferro-opt %t/region.mlir --tenferro-linearize 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not tenferro-opt %t/pair.mlir --tenferro-select-residuals 2>&1 | FileCheck %s --check-prefix=PAIR

// NAME: error: option 'function' expects a function of the module, but there is no 'g'
// MANY: error: option 'function' is needed where a module has not exactly one function, but it has 2
// WRT: error: option 'wrt' expects arguments in [0, 1), but got 3
// TAKEN: error: the derivative of 'f' needs the name 'g', but it is taken
// RULE: error: 'func.call' op has no derivative rule for operand 0
// BLOCKS: error: differentiation expects a function of one block, but 'f' has 2
// LINEAR: error: transposition expects a function with the attribute 'tenferro.linear'
// CALLED: error: freezing changes the signature of 'f', but it is called: inline it first
// SCALAR: error: differentiation expects tensors of static shape and known dtype, but argument 0 has type 'f64'
// DYNAMIC: error: differentiation expects tensors of static shape and known dtype, but argument 0 has type 'tensor<?xf64>'
// HALF: error: differentiation expects tensors of static shape and known dtype, but argument 0 has type 'tensor<2xf16>'
// UNUSED: error: differentiation expects tensors of static shape and known dtype, but argument 1 has type 'tensor<2xcomplex<f64>>'
// END: error: differentiation expects a function that returns, but 'f' ends in 'llvm.unreachable'
// REGION: error: 'scf.if' op has no derivative: differentiation expects operations without regions
// PAIR: error: residual 0 expects type 'tensor<2xf32>', but 'f' returns 'tensor<2xf64>'

//--- one.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}

//--- two.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}
func.func @g(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}

//--- call.mlir
func.func private @g(tensor<2xf64>) -> tensor<2xf64>
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = call @g(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

//--- blocks.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  cf.br ^next
^next:
  return %x : tensor<2xf64>
}

//--- frozen.mlir
func.func @f() -> tensor<2xf64> {
  %c = tenferro.constant dense<[1.0, 2.0]> : tensor<2xf64>
  return %c : tensor<2xf64>
}
func.func @g() -> tensor<2xf64> {
  %c = call @f() : () -> tensor<2xf64>
  return %c : tensor<2xf64>
}

//--- scalar.mlir
func.func @f(%x: f64) -> f64 {
  return %x : f64
}

//--- dynamic.mlir
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  return %x : tensor<?xf64>
}

//--- half.mlir
func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {
  return %x : tensor<2xf16>
}

//--- unused.mlir
func.func @f(%x: tensor<2xf64>, %z: tensor<2xcomplex<f64>>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}

//--- end.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  llvm.unreachable
}

//--- region.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %p = arith.constant true
  %y = scf.if %p -> tensor<2xf64> {
    scf.yield %x : tensor<2xf64>
  } else {
    scf.yield %x : tensor<2xf64>
  }
  return %y : tensor<2xf64>
}

//--- pair.mlir
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}
func.func @l(%r: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32>
    attributes {tenferro.linear = array<i64: 1>, tenferro.primal = @f} {
  %y = tenferro.mul %r, %t : tensor<2xf32>
  return %y : tensor<2xf32>
}
