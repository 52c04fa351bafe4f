// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// Nothing may remove a report of an error.
// RUN: tenferro-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @reports
// CHECK-SAME:    %[[C:.*]]: i1
func.func @reports(%c: i1) {
  // CHECK: tenferro.raise_if %[[C]] error 1
  // CHECK: tenferro.raise_if %[[C]] error 1
  tenferro.raise_if %c error 1
  tenferro.raise_if %c error 1
  return
}
