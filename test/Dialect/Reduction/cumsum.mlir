// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp="function=rows result=v keep-primal=false" | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --tenferro-jvp="function=back result=j keep-primal=false" | FileCheck %s --check-prefix=JVP
// Columns are (1, 2), (3, 4), (5, 6).
// RUN: tenferro-run %s --entry=rows 2x3xf64=1,2,3,4,5,6 | FileCheck %s --check-prefix=ROWS
// RUN: tenferro-run %s --entry=rows --tier=0 2x3xf64=1,2,3,4,5,6 | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}2x3xf64=1,2,4,6,9,12{{$}}
// RUN: tenferro-run %s --entry=back 3xf64=1,2,4 | FileCheck %s --check-prefix=BACK
// RUN: tenferro-run %s --entry=back --tier=0 3xf64=1,2,4 | FileCheck %s --check-prefix=BACK
// BACK: {{^}}3xf64=7,6,4{{$}}
// RUN: tenferro-run %s --entry=ui8 3xu8=200,100,7 | FileCheck %s --check-prefix=WRAPS
// WRAPS: {{^}}3xu8=200,44,51{{$}}

// CHECK-LABEL: func.func @rows
// VJP-LABEL: func.func @v(
// VJP-SAME:    %{{[a-z0-9]+}}: tensor<2x3xf64>, %[[CT:[a-z0-9]+]]: tensor<2x3xf64>)
// VJP:       %[[DX:.*]] = tenferro.cumsum reverse %[[CT]] axis 1
// VJP:       return %[[DX]]
func.func @rows(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.cumsum forward %{{.*}} axis 1 : tensor<2x3xf64>
  %0 = tenferro.cumsum forward %x axis 1 : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @back
// JVP-LABEL: func.func @j(
// JVP-SAME:    %{{[a-z0-9]+}}: tensor<3xf64>, %[[DX:[a-z0-9]+]]: tensor<3xf64>)
// JVP:       %[[DY:.*]] = tenferro.cumsum reverse %[[DX]] axis 0
// JVP:       return %[[DY]]
func.func @back(%x: tensor<3xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.cumsum reverse %{{.*}} axis 0 : tensor<3xf64>
  %0 = tenferro.cumsum reverse %x axis 0 : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<3xui8>) -> tensor<3xui8> {
  // CHECK: tenferro.cumsum forward %{{.*}} axis 0 : tensor<3xui8>
  %0 = tenferro.cumsum forward %x axis 0 : tensor<3xui8>
  return %0 : tensor<3xui8>
}
