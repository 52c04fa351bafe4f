// A name that PTX cannot spell, and a file outside the folder.
// RUN: tenferro-opt %s --tenferro-write-ptx=output=%t --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @+1 {{expects a name of letters, digits, _ and $ on nvvm, but got 'a b'}}
  llvm.func @"a b"() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

// expected-error @+1 {{expects a name without '/' for a file, but got '../m.ptx'}}
gpu.module @"../m" {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
