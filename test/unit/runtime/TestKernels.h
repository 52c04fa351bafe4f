// Kernels in plain C++ that stand in for the precompiled ones: slow, and strict about the contract of KernelAbi.h.
#ifndef TENFERRO_TEST_UNIT_RUNTIME_TESTKERNELS_H
#define TENFERRO_TEST_UNIT_RUNTIME_TESTKERNELS_H

#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/LaunchContext.h"

namespace tenferro::runtime::test {

/// add sub mul neg for f32 f64 i32 i64, div for i32, select.f64, iota.f64, one_hot.i64.f64, sum max for f32 f64 i64,
/// matmul and dot for f32 f64 i64.
const KernelTable &kernels();

/// Calls that broke the contract (a stride that the variant was not compiled for, too many rows) since the last reset.
int violations();
void resetViolations();

inline LaunchContext context(int threads = 1) { return {&kernels(), threads}; }

} // namespace tenferro::runtime::test

#endif // TENFERRO_TEST_UNIT_RUNTIME_TESTKERNELS_H
