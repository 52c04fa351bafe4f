// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-run %s --entry=columns 2x3xbool=0,0,1,0,1,1 | FileCheck %s --check-prefix=VALUE
// RUN: tenferro-run %s --entry=columns --tier=0 2x3xbool=0,0,1,0,1,1 | FileCheck %s --check-prefix=VALUE
// VALUE: {{^}}3xbool=false,false,true{{$}}
// RUN: tenferro-run %s --entry=nothing 0x2xbool= | FileCheck %s --check-prefix=NOTHING
// RUN: tenferro-run %s --entry=nothing --tier=0 0x2xbool= | FileCheck %s --check-prefix=NOTHING
// NOTHING: {{^}}2xbool=true,true{{$}}
// RUN: tenferro-run %s --entry=signs 3xf64=1,-0.5,2 | FileCheck %s --check-prefix=SIGNS
// RUN: tenferro-run %s --entry=signs --tier=0 3xf64=1,-0.5,2 | FileCheck %s --check-prefix=SIGNS
// SIGNS: {{^}}bool=false{{$}}

// CHECK-LABEL: func.func @columns
func.func @columns(%p: tensor<2x3xi1>) -> tensor<3xi1> {
  // CHECK: tenferro.all %{{.*}} [0] : tensor<2x3xi1>
  %0 = tenferro.all %p [0] : tensor<2x3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func.func @nothing
func.func @nothing(%p: tensor<0x2xi1>) -> tensor<2xi1> {
  // CHECK: tenferro.all %{{.*}} [0] : tensor<0x2xi1>
  %0 = tenferro.all %p [0] : tensor<0x2xi1>
  return %0 : tensor<2xi1>
}

// Fused with the comparison that feeds it.
// CHECK-LABEL: func.func @signs
func.func @signs(%x: tensor<3xf64>) -> tensor<i1> {
  %zero = tenferro.constant dense<0.0> : tensor<3xf64>
  %below = tenferro.compare lt, %x, %zero : tensor<3xf64>
  // CHECK: tenferro.all %{{.*}} [0] : tensor<3xi1>
  %0 = tenferro.all %below [0] : tensor<3xi1>
  return %0 : tensor<i1>
}
