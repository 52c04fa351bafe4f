// The result of a transform is an ordinary function: y = x * x * x to the third order, in every mix of modes.
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-vjp="function=g seed-ones keep-primal=false result=h" --tenferro-simplify --tenferro-cse | FileCheck %s --check-prefix=RR
// RUN: tenferro-opt %s --tenferro-jvp="function=f keep-primal=false result=g" --tenferro-vjp="function=g wrt=0 keep-primal=false result=h" --tenferro-simplify --tenferro-cse | FileCheck %s --check-prefix=RF
// RUN: tenferro-opt %s --tenferro-vjp="function=f keep-primal=false result=g" --tenferro-jvp="function=g wrt=0 keep-primal=false result=h" --tenferro-simplify --tenferro-cse | FileCheck %s --check-prefix=FR
// RUN: tenferro-opt %s --tenferro-vjp="function=f seed-ones keep-primal=false result=g" --tenferro-vjp="function=g seed-ones keep-primal=false result=h" --tenferro-vjp="function=h seed-ones keep-primal=false result=k" --tenferro-simplify --tenferro-cse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=RRR

func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %a = tenferro.mul %x, %x : tensor<f64>
  %y = tenferro.mul %a, %x : tensor<f64>
  return %y : tensor<f64>
}

// y' is a sum of products of x, y'' a sum of six x.
// RR-LABEL: func.func @h
// RR-SAME:    (%[[X:[^:]*]]: tensor<f64>) -> tensor<f64>
// RR-NOT:     tenferro.{{[^a]}}
// RR:         %[[TWO:.*]] = tenferro.add %[[X]], %[[X]]
// RR-NOT:     tenferro.{{[^a]}}
// RR:         return %{{.*}} : tensor<f64>

// Reverse over forward: the point, the tangent, the cotangent.
// RF-LABEL: func.func @h(%{{[^:]*}}: tensor<f64>, %{{[^:]*}}: tensor<f64>, %{{[^:]*}}: tensor<f64>) -> tensor<f64>
// RF:         return %{{.*}} : tensor<f64>

// Forward over reverse: the point, the cotangent, the tangent of the point.
// FR-LABEL: func.func @h(%{{[^:]*}}: tensor<f64>, %{{[^:]*}}: tensor<f64>, %{{[^:]*}}: tensor<f64>) -> tensor<f64>
// FR:         return %{{.*}} : tensor<f64>

// The third derivative of x^3 is 6; the location of the return has the order.
// RRR-LABEL: func.func @k
// RRR:         tenferro.constant dense<6.000000e+00>
// RRR:         return {{.*}}#tenferro.rule<"return", cotangent, operand -1, order 3>
