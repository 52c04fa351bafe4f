// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=f" | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-jvp="function=pair result=moved" | FileCheck %s --check-prefix=JVP

// CHECK-LABEL: func.func @opaque
func.func @opaque(%x: tensor<4xf64>, %k: tensor<2xi64>) -> (tensor<4xf64>, tensor<i64>) {
  // CHECK: tenferro.custom_call "lab.smooth.v1"(%{{.*}}, %{{.*}}) {parameters = array<i64: 3, 1>, version = 2 : i64} : (tensor<4xf64>, tensor<2xi64>) -> (tensor<4xf64>, tensor<i64>)
  %y:2 = tenferro.custom_call "lab.smooth.v1" (%x, %k) {parameters = array<i64: 3, 1>, version = 2 : i64}
    : (tensor<4xf64>, tensor<2xi64>) -> (tensor<4xf64>, tensor<i64>)
  return %y#0, %y#1 : tensor<4xf64>, tensor<i64>
}

func.func private @cube(%x: tensor<4xf64>) -> tensor<4xf64> {
  %s = tenferro.mul %x, %x : tensor<4xf64>
  %y = tenferro.mul %s, %x : tensor<4xf64>
  return %y : tensor<4xf64>
}
// The rule on purpose another function than the derivative, so that one sees who answered: ct * x.
func.func private @cube_vjp(%x: tensor<4xf64>, %y: tensor<4xf64>, %ct: tensor<4xf64>) -> tensor<4xf64> {
  %c = tenferro.mul %ct, %x : tensor<4xf64>
  return %c : tensor<4xf64>
}

// VJP-LABEL: func.func @f_vjp
// VJP-SAME:    (%[[X:.*]]: tensor<4xf64>, %[[CT:.*]]: tensor<4xf64>)
// VJP:         %[[Y:.*]] = tenferro.custom_call "cube"(%[[X]])
// VJP:         %[[G:.*]] = tenferro.mul %[[CT]], %[[X]]
// VJP:         return %[[Y]], %[[G]]
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenferro.custom_call "cube" (%x) {primal = @cube, vjp = @cube_vjp} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// Two inputs and results, an integer among them, and a value that only the rule captured.
func.func private @pair_jvp(%x: tensor<f64>, %n: tensor<i64>, %w: tensor<f64>, %y: tensor<f64>, %m: tensor<i64>,
                            %dx: tensor<f64>) -> tensor<f64> {
  %d = tenferro.mul %w, %dx : tensor<f64>
  return %d : tensor<f64>
}
// JVP-LABEL: func.func @moved
// JVP-SAME:    (%{{.*}}, %{{.*}}, %[[W:.*]]: tensor<f64>, %[[DX:.*]]: tensor<f64>, %{{.*}}: tensor<f64>)
// JVP:         %[[Y:.*]]:2 = tenferro.custom_call "pair"
// JVP:         %[[D:.*]] = tenferro.mul %[[W]], %[[DX]]
// JVP:         return %[[Y]]#0, %[[Y]]#1, %[[D]]
func.func @pair(%x: tensor<f64>, %n: tensor<i64>, %w: tensor<f64>) -> (tensor<f64>, tensor<i64>) {
  %y:2 = tenferro.custom_call "pair" (%x, %n, %w) {inputs = 2 : i64, jvp = @pair_jvp}
    : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<i64>)
  return %y#0, %y#1 : tensor<f64>, tensor<i64>
}
