// Derivatives of scalar and vector functions, both tiers. Expected values: mpmath, 40 digits.
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones=true" | tenferro-run - --entry=f_vjp f64=0.75 f64=-1.5 | FileCheck %s --check-prefix=F
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones=true" | tenferro-run - --entry=f_vjp --tier=0 f64=0.75 f64=-1.5 | FileCheck %s --check-prefix=F
// F: {{^}}f64=-1.65341419171866{{[0-9]+$}}
// F-NEXT: {{^}}f64=0.5625{{$}}

// RUN: tenferro-opt %s --tenferro-vjp="function=softmax" | tenferro-run - --entry=softmax_vjp 3xf64=1,2,4 3xf64=1,0,-1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: tenferro-opt %s --tenferro-vjp="function=softmax" | tenferro-run - --entry=softmax_vjp --tier=0 3xf64=1,2,4 3xf64=1,0,-1 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: {{^}}3xf64=0.0756930930766152{{[0-9]*}},0.0915599600654278{{[0-9]*}},-0.167253053142043{{[0-9]*$}}

// Orders two and three by the passes' own output: the derivatives of tanh at 0.75 are 0.5965858082813315,
// -0.7578417022780214 and 0.2508554732691885.
// RUN: tenferro-opt %s --tenferro-vjp="function=g seed-ones=true keep-primal=false result=g1" --tenferro-vjp="function=g1 seed-ones=true keep-primal=false result=g2" --tenferro-vjp="function=g2 seed-ones=true keep-primal=false result=g3" -o %t
// RUN: tenferro-run %t --entry=g1 f64=0.75 | FileCheck %s --check-prefix=ONE
// RUN: tenferro-run %t --entry=g2 f64=0.75 | FileCheck %s --check-prefix=TWO
// RUN: tenferro-run %t --entry=g3 f64=0.75 | FileCheck %s --check-prefix=THREE
// ONE: {{^}}f64=0.59658580828133{{[0-9]+$}}
// TWO: {{^}}f64=-0.75784170227802{{[0-9]+$}}
// THREE: {{^}}f64=0.250855473269188{{[0-9]*$}}

// A jvp along (1, 1) adds the two gradients: -1.0909141917186687.
// RUN: tenferro-opt %s --tenferro-jvp="function=f" | tenferro-run - --entry=f_jvp f64=0.75 f64=-1.5 f64=1 f64=1 | FileCheck %s --check-prefix=JVP
// JVP: {{^}}f64=-1.09091419171866{{[0-9]+$}}

func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %xx = tenferro.mul %x, %x : tensor<f64>
  %p = tenferro.mul %xx, %y : tensor<f64>
  %t = tenferro.tanh %x : tensor<f64>
  %r = tenferro.add %p, %t : tensor<f64>
  return %r : tensor<f64>
}

func.func @g(%x: tensor<f64>) -> tensor<f64> {
  %t = tenferro.tanh %x : tensor<f64>
  return %t : tensor<f64>
}

func.func @softmax(%x: tensor<3xf64>) -> tensor<3xf64> {
  %m = tenferro.max %x [0] : tensor<3xf64>
  %mb = tenferro.broadcast_in_dim %m [] : tensor<f64> to tensor<3xf64>
  %d = tenferro.sub %x, %mb : tensor<3xf64>
  %e = tenferro.exp %d : tensor<3xf64>
  %s = tenferro.sum %e [0] : tensor<3xf64>
  %sb = tenferro.broadcast_in_dim %s [] : tensor<f64> to tensor<3xf64>
  %r = tenferro.div %e, %sb : tensor<3xf64>
  return %r : tensor<3xf64>
}
