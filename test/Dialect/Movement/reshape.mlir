// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=flatten | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @flatten
func.func @flatten(%x: tensor<2x3xf64>) -> tensor<6xf64> {
  // CHECK: tenferro.reshape %{{.*}} : tensor<2x3xf64> to tensor<6xf64>
  %0 = tenferro.reshape %x : tensor<2x3xf64> to tensor<6xf64>
  return %0 : tensor<6xf64>
}

// VJP-LABEL: func.func @flatten_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.reshape %[[CT]] : tensor<6xf64> to tensor<2x3xf64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @to_rank_0
func.func @to_rank_0(%x: tensor<1x1xi1>) -> tensor<i1> {
  // CHECK: tenferro.reshape %{{.*}} : tensor<1x1xi1> to tensor<i1>
  %0 = tenferro.reshape %x : tensor<1x1xi1> to tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<0x3xf64>) -> tensor<5x0xf64> {
  // CHECK: tenferro.reshape %{{.*}} : tensor<0x3xf64> to tensor<5x0xf64>
  %0 = tenferro.reshape %x : tensor<0x3xf64> to tensor<5x0xf64>
  return %0 : tensor<5x0xf64>
}
