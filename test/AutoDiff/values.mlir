// Derivatives by value, computed independently: y = x e^x has y' = (1 + x) e^x, y'' = (2 + x) e^x, y''' = (3 + x) e^x.
// REQUIRES: tenferro-run
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones result=g" | tenferro-run - --entry=g f64=0.5 | FileCheck %s --check-prefix=FIRST
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-jvp="function=g result=h" | tenferro-run - --entry=h f64=0.5 f64=1 | FileCheck %s --check-prefix=SECOND
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-vjp="function=g seed-ones keep-primal=false result=h" --tenferro-vjp="function=h seed-ones result=k" | tenferro-run - --entry=k --tier=0 f64=0.5 | FileCheck %s --check-prefix=THIRD
// RUN: tenferro-opt %s --tenferro-linearize="function=f" --tenferro-transpose | tenferro-run - --entry=f.primal f64=0.5 | FileCheck %s --check-prefix=PRIMAL
// RUN: tenferro-opt %s --tenferro-vjp="function=kept wrt=0 seed-ones keep-primal=false result=g" --tenferro-lower-residuals | tenferro-run - --entry=g f64=0.5 f64=2 | FileCheck %s --check-prefix=KEPT

// FIRST:       f64=0.824360635350064{{[0-9]*}}
// FIRST-NEXT:  f64=2.47308190605019{{[0-9]*}}
// SECOND:      f64=2.47308190605019{{[0-9]*}}
// SECOND-NEXT: f64=4.12180317675032{{[0-9]*}}
// THIRD:       f64=4.12180317675032{{[0-9]*}}
// THIRD-NEXT:  f64=5.7705244474504{{[0-9]*}}

// The value, then x and e^x for the linear function.
// PRIMAL:      f64=0.824360635350064{{[0-9]*}}
// PRIMAL-DAG:  f64=0.5
// PRIMAL-DAG:  f64=1.64872127070012{{[0-9]*}}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %e = tenferro.exp %x : tensor<f64>
  %y = tenferro.mul %x, %e : tensor<f64>
  return %y : tensor<f64>
}

// The derivative reads the kept value, whatever it is: with 2 for e^x the derivative of (e^x)^2 is 2 * 2 * 2.
// KEPT: f64=8
func.func @kept(%x: tensor<f64>, %k: tensor<f64>) -> tensor<f64> {
  %e = tenferro.exp %x : tensor<f64>
  %r = tenferro.residual %e, %k : tensor<f64>
  %y = tenferro.mul %r, %r : tensor<f64>
  return %y : tensor<f64>
}
