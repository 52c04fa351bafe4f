// A user's rules under every transform, by value: the cube at 2 has the derivatives 12, 12 and 6. Its rules are written out; the scaled
// copies beside them (times 5) show who answered.
// REQUIRES: tenferro-run
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones result=g" | tenferro-run - --entry=g f64=2 | FileCheck %s --check-prefix=FIRST
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-vjp="function=g seed-ones result=h" | tenferro-run - --entry=h f64=2 | FileCheck %s --check-prefix=SECOND
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-vjp="function=g seed-ones keep-primal=false result=h" --tenferro-vjp="function=h seed-ones result=k" | tenferro-run - --entry=k --tier=0 f64=2 | FileCheck %s --check-prefix=THIRD
// RUN: tenferro-opt %s --tenferro-jvp="function=both result=h" | tenferro-run - --entry=h f64=2 f64=1 | FileCheck %s --check-prefix=FORWARD
// RUN: tenferro-opt %s --tenferro-vjp="function=both seed-ones result=h" | tenferro-run - --entry=h f64=2 | FileCheck %s --check-prefix=REVERSE
// RUN: tenferro-opt %s --tenferro-vjp="function=line wrt=1 result=h" | tenferro-run - --entry=h f64=2 f64=7 f64=10 | FileCheck %s --check-prefix=LINE
// RUN: tenferro-opt %s --tenferro-vjp="function=both seed-ones keep-primal=false result=g" --tenferro-jvp="function=g result=h keep-primal=false" | tenferro-run - --entry=h f64=2 f64=1 | FileCheck %s --check-prefix=MIXED
// RUN: tenferro-opt %s --tenferro-vjp="function=two wrt=1 seed-ones keep-primal=false result=h" | tenferro-run - --entry=h f64=2 f64=7 | FileCheck %s --check-prefix=TWO
// RUN: tenferro-opt %s --tenferro-linearize="function=two wrt=1" | FileCheck %s --check-prefix=SPLIT
// RUN: not tenferro-opt %s --tenferro-jvp="function=f" 2>&1 | FileCheck %s --check-prefix=NOJVP
// RUN: not tenferro-opt %s --tenferro-vjp="function=bare" 2>&1 | FileCheck %s --check-prefix=NORULE
// RUN: not tenferro-opt %s --tenferro-vjp="function=captured wrt=1" 2>&1 | FileCheck %s --check-prefix=CAPTURED
// RUN: not tenferro-opt %s --tenferro-vjp="function=stuck" 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: not tenferro-opt %s --tenferro-jvp="function=waits wrt=2" 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: tenferro-opt %s --tenferro-vjp="function=waits wrt=2 result=h keep-primal=false" | tenferro-run - --entry=h f64=2 f64=8 f64=1 f64=1 | FileCheck %s --check-prefix=TURNED
// RUN: tenferro-opt %s --tenferro-jvp="function=captured result=h wrt=0" | tenferro-run - --entry=h f64=2 f64=3 f64=1 | FileCheck %s --check-prefix=CAPTURES

// FIRST:       f64=8
// FIRST-NEXT:  f64=12
// SECOND:      f64=12
// SECOND-NEXT: f64=12
// THIRD:       f64=12
// THIRD-NEXT:  f64=6
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %s = tenferro.mul %x, %x : tensor<f64>
  %y = tenferro.mul %s, %x : tensor<f64>
  return %y : tensor<f64>
}
func.func private @cube_vjp(%x: tensor<f64>, %y: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %three = tenferro.constant dense<3.0> : tensor<f64>
  %s = tenferro.mul %x, %x : tensor<f64>
  %slope = tenferro.mul %three, %s : tensor<f64>
  %c = tenferro.mul %slope, %ct : tensor<f64>
  return %c : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "cube" (%x) {primal = @cube, vjp = @cube_vjp} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// NOJVP: error: 'cube' has no derivative rule of role jvp at order 1; a vjp rule gives reverse derivatives alone

// With both rules, forward asks the jvp (5 * 12) and reverse the vjp (12).
// FORWARD:      f64=8
// FORWARD-NEXT: f64=60
// REVERSE:      f64=8
// REVERSE-NEXT: f64=12
// MIXED:        f64=12
func.func private @cube_jvp(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %fifteen = tenferro.constant dense<15.0> : tensor<f64>
  %s = tenferro.mul %x, %x : tensor<f64>
  %slope = tenferro.mul %fifteen, %s : tensor<f64>
  %d = tenferro.mul %slope, %t : tensor<f64>
  return %d : tensor<f64>
}
func.func @both(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "cube" (%x) {primal = @cube, vjp = @cube_vjp, jvp = @cube_jvp} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// Linear in the second of two: a * b with the transpose 5 * a * ct, so 5 * 2 * 10.
// LINE:      f64=14
// LINE-NEXT: f64=100
func.func private @times(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  %y = tenferro.mul %a, %b : tensor<f64>
  return %y : tensor<f64>
}
func.func private @times_transpose(%a: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %five = tenferro.constant dense<5.0> : tensor<f64>
  %s = tenferro.mul %five, %a : tensor<f64>
  %c = tenferro.mul %s, %ct : tensor<f64>
  return %c : tensor<f64>
}
func.func @line(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  %n = tenferro.cast %a : tensor<f64> to tensor<i64>
  %fixed = tenferro.cast %n : tensor<i64> to tensor<f64>
  %y = tenferro.custom_call "times" (%fixed, %b) {primal = @times, transpose = @times_transpose, linear = array<i1: false, true>}
    : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// NORULE: error: 'lab.bare.v1' has no derivative rule of role vjp or jvp for input 0 at order 1
func.func @bare(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "lab.bare.v1" (%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// What a function captured is a value to its rules, not an input: x * w with the rule w * t.
// CAPTURED: error: 'scale' has no derivative rule for captured value 0 at order 1; what is differentiated must be an input
// CAPTURES:      f64=6
// CAPTURES-NEXT: f64=3
func.func private @scale_jvp(%x: tensor<f64>, %w: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.mul %w, %t : tensor<f64>
  return %d : tensor<f64>
}
func.func @captured(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "scale" (%x, %w) {inputs = 1 : i64, captures = 1 : i64, primal = @times, jvp = @scale_jvp}
    : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// A rule that asks an opaque kernel about the tangent can push forward, but nothing transposes the kernel.
// STUCK: error: 'lab.bare.v1' has no derivative rule of role transpose for input 0 at order 1
func.func private @asks(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.custom_call "lab.bare.v1" (%t) : (tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}
func.func @stuck(%x: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "stuck" (%x) {primal = @cube, jvp = @asks} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// A tangent that waits for its transposition asks the jvp only where none follows: that rule adds 2, the vjp gives 12.
// WAITS: error: 'cube' expects a jvp rule that is linear in its tangents, but 'tenferro.add' op expects linear values or zeros in all operands it is linear in, but operand 1 is neither
// TURNED: f64=12
func.func private @affine_jvp(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.add %t, %x : tensor<f64>
  return %d : tensor<f64>
}
func.func @waits(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %d = tenferro.linear_call "cube" residuals(%x, %y) tangents(%t) {vjp = @cube_vjp, jvp = @affine_jvp} : (tensor<f64>, tensor<f64>), (tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}

// Of two inputs one moves: what the rule makes of the other's tangent is zero, no fixed term. The second slope is a.
// TWO: f64=2
// SPLIT-LABEL: func.func @two.linear
// SPLIT-NOT:   tenferro.mul
// SPLIT:       %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00>
// SPLIT:       %[[D:.*]] = tenferro.mul
// SPLIT:       tenferro.add %[[ZERO]], %[[D]]
func.func private @times_jvp(%a: tensor<f64>, %b: tensor<f64>, %y: tensor<f64>, %ta: tensor<f64>, %tb: tensor<f64>) -> tensor<f64> {
  %first = tenferro.mul %ta, %b : tensor<f64>
  %minus = tenferro.neg %first : tensor<f64>
  %again = tenferro.neg %minus : tensor<f64>
  %second = tenferro.mul %a, %tb : tensor<f64>
  %d = tenferro.add %again, %second : tensor<f64>
  return %d : tensor<f64>
}
func.func @two(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  %y = tenferro.custom_call "times" (%a, %b) {primal = @times, jvp = @times_jvp} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
