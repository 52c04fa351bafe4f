// RUN: tenferro-opt %s --tenferro-gpu-kernels=target=spirv --split-input-file --verify-diagnostics
// RUN: not tenferro-opt %s --tenferro-gpu-kernels=target=metal --split-input-file 2>&1 | FileCheck %s
// CHECK: error: expects the target spirv or nvvm, but got 'metal'

// Everything that is missing is reported at once, at its place.
func.func @two_missing(%x: tensor<3xf32>, %y: tensor<3xf64>) -> (tensor<f32>, tensor<f64>) {
  // expected-error @+1 {{'tenferro.median' op has no kernel on spirv for f32}}
  %0 = tenferro.kernel "mul_median"(%x) : (tensor<3xf32>) -> tensor<f32> {
  ^bb0(%in: memref<3xf32>, %out: memref<f32>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%in : memref<3xf32>) outs(%out : memref<f32>) attrs = {tenferro.reduction = "median"} {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
  }
  // expected-error @+1 {{'tenferro.mode' op has no kernel on spirv for f64}}
  %1 = tenferro.kernel "mode"(%y) : (tensor<3xf64>) -> tensor<f64> {
  ^bb0(%in: memref<3xf64>, %out: memref<f64>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%in : memref<3xf64>) outs(%out : memref<f64>) attrs = {tenferro.reduction = "mode"} {
    ^bb0(%a: f64, %b: f64):
      linalg.yield %a : f64
    }
  }
  return %0, %1 : tensor<f32>, tensor<f64>
}

// -----

func.func @no_expansion(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenferro.kernel "cube"(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%in: memref<3xf32>, %out: memref<3xf32>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : memref<3xf32>) outs(%out : memref<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      %three = arith.constant 3 : i32
      // expected-error @+1 {{'math.fpowi' in kernel 'cube' has no lowering on spirv for 'f32'}}
      %c = math.fpowi %a, %three : f32, i32
      linalg.yield %c : f32
    }
  }
  return %0 : tensor<3xf32>
}

// -----

// expected-error @+2 {{argument 0 expects at most 2139095167 elements on spirv, but got 'tensor<2147483648xi1>'}}
// expected-error @+1 {{argument 1 expects at most 2139095167 elements on spirv, but got 'tensor<2147483648xi1>'}}
func.func @too_large(%x: tensor<2147483648xi1>, %y: tensor<2147483648xi1>) -> tensor<2147483648xi1> {
  // expected-error @+1 {{'tenferro.mul' op expects at most 2139095167 elements on spirv, but got 'tensor<2147483648xi1>'}}
  %0 = tenferro.mul %x, %y : tensor<2147483648xi1>
  return %0 : tensor<2147483648xi1>
}

// -----

// Bodies written by hand are copied only if they compute scalars from their inputs.
func.func @reads_its_output(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenferro.kernel "k"(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%in: memref<3xf32>, %out: memref<3xf32>):
    // expected-error @+1 {{'linalg.generic' op expects a body that does not read its outputs, but output 0 is read}}
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : memref<3xf32>) outs(%out : memref<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    }
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @reads_memory(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenferro.kernel "k"(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%in: memref<3xf32>, %out: memref<3xf32>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : memref<3xf32>) outs(%out : memref<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      %i = linalg.index 0 : index
      // expected-error @+1 {{'memref.load' op expects scalar operations of arith and math around it}}
      %l = memref.load %in[%i] : memref<3xf32>
      linalg.yield %l : f32
    }
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @narrows(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenferro.kernel "k"(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%in: memref<3xf32>, %out: memref<3xf32>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : memref<3xf32>) outs(%out : memref<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      // expected-error @+1 {{'arith.truncf' op expects f32, f64 or signless integers, but got 'f16'}}
      %h = arith.truncf %a : f32 to f16
      %e = arith.extf %h : f16 to f32
      linalg.yield %e : f32
    }
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @any_of_floats(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = tenferro.kernel "k"(%x) : (tensor<3xf32>) -> tensor<f32> {
  ^bb0(%in: memref<3xf32>, %out: memref<f32>):
    // expected-error @+1 {{'linalg.generic' op expects bools to reduce by "any"}}
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%in : memref<3xf32>) outs(%out : memref<f32>) attrs = {tenferro.reduction = "any"} {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
  }
  return %0 : tensor<f32>
}
