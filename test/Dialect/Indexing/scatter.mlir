// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=add wrt=0,2" | FileCheck %s --check-prefix=ADD
// RUN: tenferro-opt %s --tenferro-vjp="function=one wrt=0,2" | FileCheck %s --check-prefix=ONE
// RUN: tenferro-opt %s --tenferro-vjp="function=set wrt=2" | FileCheck %s --check-prefix=SET
// RUN: tenferro-opt %s --tenferro-jvp="function=mul wrt=2" | FileCheck %s --check-prefix=MUL
// RUN: tenferro-opt %s --tenferro-jvp="function=max wrt=2" | FileCheck %s --check-prefix=MAX

// CHECK-LABEL: func.func @add
func.func @add(%x: tensor<4x3xf64>, %i: tensor<2x1xi64>, %u: tensor<2x3xf64>) -> tensor<4x3xf64> {
  // CHECK: tenferro.scatter %{{.*}}[%{{.*}}] add %{{.*}} window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x3xf64>
  %0 = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x3xf64>
  return %0 : tensor<4x3xf64>
}

// ADD-LABEL: func.func @add_vjp(
// ADD-SAME:    %[[I:[a-z0-9]+]]: tensor<2x1xi64>,
// ADD-SAME:    %[[CT:[a-z0-9]+]]: tensor<4x3xf64>) ->
// ADD:      %[[DU:.*]] = tenferro.gather %[[CT]][%[[I]]] offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] error
// ADD:      return %{{.*}}, %[[CT]], %[[DU]]

// One window writes nothing twice: the update's cotangent is read back as it is.
// CHECK-LABEL: func.func @one
func.func @one(%x: tensor<5xf64>, %i: tensor<1xi64>, %u: tensor<2xf64>) -> tensor<5xf64> {
  // CHECK: tenferro.scatter %{{.*}}[%{{.*}}] set %{{.*}} window [0] inserted [] map [0] vector 0 clip
  %0 = tenferro.scatter %x[%i] set %u window [0] inserted [] map [0] vector 0 clip : tensor<5xf64>, tensor<1xi64>, tensor<2xf64>
  return %0 : tensor<5xf64>
}

// ONE-LABEL: func.func @one_vjp(
// ONE-SAME:    %[[CT:[a-z0-9]+]]: tensor<5xf64>) ->
// ONE-DAG:  %[[ZERO:.*]] = tenferro.constant dense<0.000000e+00> : tensor<2xf64>
// ONE-DAG:  %[[DX:.*]] = tenferro.scatter %[[CT]][%{{.*}}] set %[[ZERO]] window [0]
// ONE-DAG:  %[[DU:.*]] = tenferro.gather %[[CT]]
// ONE:      return %{{.*}}, %[[DX]], %[[DU]]

// Of several updates of an element the last one gets the cotangent.
func.func @set(%x: tensor<4xf64>, %i: tensor<3xi64>, %u: tensor<3xf64>) -> tensor<4xf64> {
  %0 = tenferro.scatter %x[%i] set %u window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
  return %0 : tensor<4xf64>
}

// SET-LABEL: func.func @set_vjp(
// SET:      %[[CT:.*]] = tenferro.gather %{{.*}} : tensor<4xf64>, tensor<3xi64>
// SET:      %[[N:.*]] = tenferro.iota axis 0 : tensor<3xi64>
// SET:      %[[WHO:.*]] = tenferro.scatter %{{.*}}[%{{.*}}] set %[[N]]
// SET:      %[[BACK:.*]] = tenferro.gather %[[WHO]]
// SET:      %[[STANDS:.*]] = tenferro.compare eq, %[[BACK]], %[[N]]
// SET:      tenferro.select %[[STANDS]], %[[CT]]

// What equals the result shares it.
func.func @max(%x: tensor<4xf64>, %i: tensor<3xi64>, %u: tensor<3xf64>) -> tensor<4xf64> {
  %0 = tenferro.scatter %x[%i] max %u window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
  return %0 : tensor<4xf64>
}

// MAX-LABEL: func.func @max_jvp(
// MAX:      %[[Y:.*]] = tenferro.scatter %{{.*}} max
// MAX:      %[[OLD:.*]] = tenferro.compare eq, %{{.*}}, %[[Y]]
// MAX:      %[[WINNERS:.*]] = tenferro.scatter %{{.*}} add
// MAX:      tenferro.szmul
// MAX:      tenferro.scatter %{{.*}} add

// The slope of an update is the product of the others at its target, without a division.
func.func @mul(%x: tensor<4xf64>, %i: tensor<3xi64>, %u: tensor<3xf64>) -> tensor<4xf64> {
  %0 = tenferro.scatter %x[%i] mul %u window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
  return %0 : tensor<4xf64>
}

// MUL-LABEL: func.func @mul_jvp(
// MUL:      %[[BEFORE:.*]] = tenferro.scatter_prefix %{{.*}} forward %[[U:.*]], %{{.*}} window
// MUL:      %[[AFTER:.*]] = tenferro.scatter_prefix %{{.*}} reverse %[[U]], %{{.*}} window
// MUL:      %[[OTHERS:.*]] = tenferro.mul %[[BEFORE]], %[[AFTER]]
// MUL:      %[[DU:.*]] = tenferro.mul %[[OTHERS]], %{{.*}}
// MUL:      tenferro.scatter %{{.*}} add %[[DU]]
