// Device functions written by hand that the conversion cannot take.
// RUN: tenferro-opt %s --tenferro-gpu-to-spirv --split-input-file --verify-diagnostics

gpu.module @no_size {
  // expected-error @+1 {{'gpu.func' op expects a kernel with a 'known_block_size' and without private memory}}
  gpu.func @k(%x: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @no_kernel {
  // expected-error @+1 {{'gpu.func' op expects a kernel with a 'known_block_size' and without private memory}}
  gpu.func @f(%x: memref<4xf32>) attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
