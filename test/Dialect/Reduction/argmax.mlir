// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=through result=v keep-primal=false" | FileCheck %s --check-prefix=VJP
// Columns are (1, 3), (3, 3), (4, nan): the first of equals, and NaN before everything.
// RUN: tenferro-run %s --entry=columns 2x3xf64=1,3,3,3,4,nan | FileCheck %s --check-prefix=VALUE
// RUN: tenferro-run %s --entry=columns --tier=0 2x3xf64=1,3,3,3,4,nan | FileCheck %s --check-prefix=VALUE
// VALUE: {{^}}3xi64=1,0,1{{$}}

// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<2x3xf64>) -> tensor<3xi64> {
  // CHECK: tenferro.argmax %{{.*}} axis 0 : tensor<2x3xf64>
  %0 = tenferro.argmax %x axis 0 : tensor<2x3xf64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<2x3xui8>) -> tensor<2xi64> {
  // CHECK: tenferro.argmax %{{.*}} axis 1 : tensor<2x3xui8>
  %0 = tenferro.argmax %x axis 1 : tensor<2x3xui8>
  return %0 : tensor<2xi64>
}

// Positions carry no derivative: what is taken there does.
// VJP-LABEL: func.func @v(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf64>, %[[CT:[a-z0-9]+]]: tensor<f64>)
// VJP:       %[[AT:.*]] = tenferro.argmax %[[X]] axis 0
// VJP:       %[[DX:.*]] = tenferro.scatter_add %[[CT]] at %[[AT]] axis 0 extent 4
// VJP:       return %[[DX]]
func.func @through(%x: tensor<4xf64>) -> tensor<f64> {
  %0 = tenferro.argmax %x axis 0 : tensor<4xf64>
  %1 = tenferro.take %x[%0] axis 0 : tensor<4xf64>, tensor<i64>
  return %1 : tensor<f64>
}
