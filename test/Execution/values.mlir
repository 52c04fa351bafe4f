// Launches and storage of every kind, by numbers that are easy to check: columns of %x are (1, 2), (3, 4), (5, 6).
// RUN: tenferro-run %s --entry=product 2x3xf64=1,2,3,4,5,6 3x2xf64=1,0,0,0,1,1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: {{^}}2x2xf64=1,2,8,10{{$}}
// RUN: tenferro-run %s --entry=views 2x3xi32=1,2,3,4,5,6 | FileCheck %s --check-prefix=VIEWS
// RUN: tenferro-run %s --entry=views --tier=0 2x3xi32=1,2,3,4,5,6 | FileCheck %s --check-prefix=VIEWS
// VIEWS: {{^}}3x2xi32=1,3,5,2,4,6{{$}}
// VIEWS-NEXT: {{^}}6xi32=1,3,5,2,4,6{{$}}
// VIEWS-NEXT: {{^}}2x2xi32=1,2,5,6{{$}}
// VIEWS-NEXT: {{^}}2x5xi32=1,2,0,0,3,4,0,0,5,6{{$}}
// RUN: tenferro-run %s --entry=reduce 2x3xf64=1,2,nan,4,5,-inf | FileCheck %s --check-prefix=REDUCE
// RUN: tenferro-run %s --entry=reduce --tier=0 2x3xf64=1,2,nan,4,5,-inf | FileCheck %s --check-prefix=REDUCE
// REDUCE: {{^}}3xf64=2,nan,5{{$}}
// REDUCE-NEXT: {{^}}2xf64=nan,-inf{{$}}
// REDUCE-NEXT: {{^}}f64=nan{{$}}
// RUN: tenferro-run %s --entry=scatter 2xu8=200,100 2xi64=1,-2 | FileCheck %s --check-prefix=SCATTER
// SCATTER: {{^}}3xu8=0,44,0{{$}}
// RUN: tenferro-run %s --entry=constants | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: {{^}}2x3xf64=1,4,2,5,3,6{{$}}
// CONSTANTS-NEXT: {{^}}2xbool=true,false{{$}}
// CONSTANTS-NEXT: {{^}}2x2xf32=0.5,0.5,0.5,0.5{{$}}
func.func @product(%x: tensor<2x3xf64>, %y: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %r = tenferro.dot_general %x, %y contracting [1] x [0] : tensor<2x3xf64>, tensor<3x2xf64>
  return %r : tensor<2x2xf64>
}
func.func @views(%x: tensor<2x3xi32>) -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x5xi32>) {
  %t = tenferro.transpose %x [1, 0] : tensor<2x3xi32>
  %f = tenferro.reshape %t : tensor<3x2xi32> to tensor<6xi32>
  %s = tenferro.slice %x [0, 0] to [2, 3] step [1, 2] : tensor<2x3xi32>
  %p = tenferro.pad %x low [0, 0] high [0, 0] interior [0, 1] : tensor<2x3xi32>
  return %t, %f, %s, %p : tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x5xi32>
}
func.func @reduce(%x: tensor<2x3xf64>) -> (tensor<3xf64>, tensor<2xf64>, tensor<f64>) {
  %a = tenferro.max %x [0] : tensor<2x3xf64>
  %b = tenferro.min %x [1] : tensor<2x3xf64>
  %n = tenferro.neg %x : tensor<2x3xf64>
  %p = tenferro.mul %n, %x : tensor<2x3xf64>
  %c = tenferro.sum %p [0, 1] : tensor<2x3xf64>
  return %a, %b, %c : tensor<3xf64>, tensor<2xf64>, tensor<f64>
}
func.func @scatter(%u: tensor<2xui8>, %i: tensor<2xi64>) -> tensor<3xui8> {
  %r = tenferro.scatter_add %u at %i axis 0 extent 3 : tensor<2xui8>, tensor<2xi64>
  return %r : tensor<3xui8>
}
func.func @constants() -> (tensor<2x3xf64>, tensor<2xi1>, tensor<2x2xf32>) {
  %a = tenferro.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %b = tenferro.constant dense<[true, false]> : tensor<2xi1>
  %c = tenferro.constant dense<0.5> : tensor<2x2xf32>
  return %a, %b, %c : tensor<2x3xf64>, tensor<2xi1>, tensor<2x2xf32>
}
// A perturbation is seen by derivatives alone.
// RUN: tenferro-run %s --entry=perturbed 2xf64=1,2 2xf64=5 | FileCheck %s --check-prefix=PERTURBED
// RUN: tenferro-opt %s --tenferro-vjp="function=perturbed wrt=1 keep-primal=false" | tenferro-run - --entry=perturbed_vjp 2xf64=1,2 2xf64=5 2xf64=1 | FileCheck %s --check-prefix=MOVED
// PERTURBED: {{^}}2xf64=4,16{{$}}
// MOVED: {{^}}2xf64=4,8{{$}}
func.func @perturbed(%x: tensor<2xf64>, %e: tensor<2xf64>) -> tensor<2xf64> {
  %h = tenferro.add %x, %x : tensor<2xf64>
  %m = tenferro.perturb %h, %e : tensor<2xf64>
  %y = tenferro.mul %m, %m : tensor<2xf64>
  return %y : tensor<2xf64>
}
