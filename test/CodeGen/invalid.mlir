// RUN: tenferro-opt %s --tenferro-cpu-kernels --split-input-file --verify-diagnostics

func.func @reads_its_output(%x: memref<?xf32>, %out: memref<?xf32>) {
  // expected-error @+1 {{kernel body reads its output; the combination of a reduction is an attribute}}
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}

// -----

func.func @branches(%x: memref<?xf32>, %out: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %true = arith.constant true
    // expected-error @+1 {{cannot be part of a kernel body: expects scalar arith or math operations}}
    %c = scf.if %true -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %c : f32
  }
  return
}

// -----

func.func @unknown_reduction(%x: memref<?xf32>, %out: memref<f32>) {
  // expected-error @+1 {{expects 'tenferro.reduction' to be sum, prod, max, min, any or all, but got "product"}}
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%out : memref<f32>) attrs = {tenferro.reduction = "product"} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @integerPower(%x: memref<?xf32>, %out: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %three = arith.constant 3 : i32
    // expected-error @+1 {{'math.fpowi' op cannot be part of a kernel body: it has no expansion, and kernels call no library}}
    %c = math.fpowi %a, %three : f32, i32
    linalg.yield %c : f32
  }
  return
}
