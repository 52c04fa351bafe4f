// Errors of running programs name the line; bad calls say what is wrong. Both tiers, exit code 1.
// RUN: not tenferro-run %s --entry=divide 3xi64=7,8,9 3xi64=1,0,3 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: not tenferro-run %s --entry=divide --tier=0 3xi64=7,8,9 3xi64=1,0,3 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: {{.*}}errors.mlir:[[@LINE+12]]: expects integer divisors other than 0
// RUN: tenferro-run %s --entry=divide 3xi64=7,8,9 3xi64=1,-2,3 | FileCheck %s --check-prefix=GOOD
// GOOD: {{^}}3xi64=49,-32,27{{$}}
// RUN: not tenferro-run %s --entry=take 2x3xf64=1 2xi32=0,3 2>&1 | FileCheck %s --check-prefix=TAKE
// TAKE: error: {{.*}}errors.mlir:[[@LINE+13]]: {{.*}}ind{{.*}}
// RUN: not tenferro-run %s --entry=nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: expects a function 'nothing'
// RUN: not tenferro-run %s --entry=take 2xf64=1,2,3 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: expects 2 values for shape [2], but got 3
// RUN: not tenferro-run %s --entry=take 2x3xf64=1 2xi64=0,1 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: {{.*}}expects argument 1 of i32[2], but got i64[2]
func.func @divide(%x: tensor<3xi64>, %y: tensor<3xi64>) -> tensor<3xi64> {
  %q = tenferro.div %x, %y : tensor<3xi64>
  %r = tenferro.mul %q, %x : tensor<3xi64>
  return %r : tensor<3xi64>
}
func.func @take(%x: tensor<2x3xf64>, %i: tensor<2xi32>) -> tensor<2x2xf64> {
  %r = tenferro.take %x[%i] axis 1 : tensor<2x3xf64>, tensor<2xi32>
  return %r : tensor<2x2xf64>
}
