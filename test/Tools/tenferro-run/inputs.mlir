// Inputs from NumPy files; calls are inlined.
// RUN: %python -c "import struct; h = \"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\".ljust(117) + chr(10); open('%t.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(h)) + h.encode() + struct.pack('<6d', 1, 2, 3, 4, 5, 6))"
// RUN: tenferro-run %s --entry=twice %t.npy | FileCheck %s
// RUN: tenferro-run %s --entry=twice --tier=0 %t.npy | FileCheck %s
// CHECK: {{^}}2x3xf64=2,8,4,10,6,12{{$}}
// RUN: env TENFERRO_JIT_NAMES=pref tenferro-run %s --entry=sum3 f64=1 f64=2 f64=4 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: tenferro: TENFERRO_JIT_NAMES expects perf, gdb or both, but got 'pref'
// NAMES: {{^}}f64=7{{$}}
// RUN: not tenferro-run %s --entry=twice %t.absent.npy 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: {{.*}}absent.npy' cannot be opened: No such file
// RUN: head -c 140 %t.npy > %t.short.npy
// RUN: not tenferro-run %s --entry=twice %t.short.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: {{.*}}short.npy' expects 48 bytes of elements for shape [2, 3], but has 12
// RUN: echo "no array" > %t.text.npy
// RUN: not tenferro-run %s --entry=twice %t.text.npy 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: {{.*}}text.npy'
// RUN: not tenferro-run %s --entry=twice 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tenferro-run %s --entry=twice --tier=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expects 1 input, but got 0{{$}}
// RUN: not tenferro-run %s --entry=sum3 f64=1 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: expects 3 inputs, but got 1{{$}}
// RUN: not tenferro-run %s --entry=sum3 f64=1 f64=1 f64=1 f64=1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expects 3 inputs, but got 4{{$}}
func.func private @half(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  return %x : tensor<2x3xf64>
}
func.func @twice(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %a = call @half(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %b = call @half(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %y = tenferro.add %a, %b : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
func.func @sum3(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %a = tenferro.add %x, %y : tensor<f64>
  %b = tenferro.add %a, %z : tensor<f64>
  return %b : tensor<f64>
}
