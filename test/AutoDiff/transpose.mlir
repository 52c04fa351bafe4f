// RUN: tenferro-opt %s --split-input-file --tenferro-transpose="result=once" --tenferro-verify-linearity | FileCheck %s --check-prefix=ONCE
// RUN: tenferro-opt %s --split-input-file --tenferro-transpose="function=f result=once" --tenferro-transpose="function=once result=twice" --tenferro-verify-linearity --tenferro-simplify | FileCheck %s --check-prefix=TWICE

// A chain of movements, backwards; what is fixed stays on top. Twice is the function again.
// ONCE-LABEL: func.func @once
// ONCE-SAME:    (%[[S:[^:]*]]: tensor<3x2xf64>, %[[CT:[^:]*]]: tensor<3xf64>) -> tensor<2x3xf64>
// ONCE-SAME:    tenferro.linear = array<i64: 1>
// ONCE-NEXT:    %[[E:.*]] = tenferro.exp %[[S]]
// ONCE-NEXT:    %[[B:.*]] = tenferro.broadcast_in_dim %[[CT]] [0] : tensor<3xf64> to tensor<3x2xf64>
// ONCE-NEXT:    %[[M:.*]] = tenferro.mul %[[E]], %[[B]]
// ONCE-NEXT:    %[[T:.*]] = tenferro.transpose %[[M]] [1, 0]
// ONCE-NEXT:    return %[[T]]

// TWICE-LABEL: func.func @twice
// TWICE-SAME:    (%[[S:[^:]*]]: tensor<3x2xf64>, %[[T:[^:]*]]: tensor<2x3xf64>) -> tensor<3xf64>
// TWICE-SAME:    tenferro.linear = array<i64: 1>
// TWICE-NEXT:    %[[E:.*]] = tenferro.exp %[[S]]
// TWICE-NEXT:    %[[TT:.*]] = tenferro.transpose %[[T]] [1, 0]
// TWICE-NEXT:    %[[M:.*]] = tenferro.mul %[[E]], %[[TT]]
// TWICE-NEXT:    %[[R:.*]] = tenferro.sum %[[M]] [1]
// TWICE-NEXT:    return %[[R]]
func.func @f(%s: tensor<3x2xf64>, %t: tensor<2x3xf64>) -> tensor<3xf64> attributes {tenferro.linear = array<i64: 1>} {
  %e = tenferro.exp %s : tensor<3x2xf64>
  %tt = tenferro.transpose %t [1, 0] : tensor<2x3xf64>
  %m = tenferro.mul %e, %tt : tensor<3x2xf64>
  %r = tenferro.sum %m [1] : tensor<3x2xf64>
  return %r : tensor<3xf64>
}

// -----

// An argument nobody reads gets zeros, as the result needs a tensor; fan-out adds.
// ONCE-LABEL: func.func @once
// ONCE-SAME:    (%[[CT:[^:]*]]: tensor<2xf64>, %[[CU:[^:]*]]: tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf32>)
// ONCE-DAG:     %[[N:.*]] = tenferro.neg %[[CU]]
// ONCE-DAG:     %[[A:.*]] = tenferro.add %{{.*}}, %{{.*}}
// ONCE-DAG:     %[[Z:.*]] = tenferro.constant dense<0.000000e+00> : tensor<4xf32>
// ONCE:         return %[[A]], %[[Z]]

// The fan-out of one is the sum of the other.
// TWICE-LABEL: func.func @twice
// TWICE-SAME:    (%[[T:[^:]*]]: tensor<2xf64>, %{{[^:]*}}: tensor<4xf32>) -> (tensor<2xf64>, tensor<2xf64>)
// TWICE-NEXT:    %[[N:.*]] = tenferro.neg %[[T]]
// TWICE-NEXT:    return %[[T]], %[[N]]
func.func @f(%t: tensor<2xf64>, %unused: tensor<4xf32>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {tenferro.linear = array<i64: 0, 1>} {
  %n = tenferro.neg %t : tensor<2xf64>
  return %t, %n : tensor<2xf64>, tensor<2xf64>
}

// -----

// Padding, slicing and indexing.
// ONCE-LABEL: func.func @once
// ONCE-SAME:    (%[[I:[^:]*]]: tensor<2xi64>, %[[CT:[^:]*]]: tensor<5xf64>) -> tensor<6xf64>
// ONCE-NEXT:    %[[S:.*]] = tenferro.slice %[[CT]] [2] to [5] step [2]
// ONCE-NEXT:    %[[A:.*]] = tenferro.scatter_add %[[S]] at %[[I]] axis 0 extent 3
// ONCE-NEXT:    %[[P:.*]] = tenferro.pad %[[A]] low [1] high [0] interior [1]
// ONCE-NEXT:    return %[[P]]

// TWICE-LABEL: func.func @twice
// TWICE-SAME:    (%[[I:[^:]*]]: tensor<2xi64>, %[[T:[^:]*]]: tensor<6xf64>) -> tensor<5xf64>
// TWICE-NEXT:    %[[S:.*]] = tenferro.slice %[[T]] [1] to [6] step [2]
// TWICE-NEXT:    %[[K:.*]] = tenferro.take %[[S]][%[[I]]] axis 0
// TWICE-NEXT:    %[[P:.*]] = tenferro.pad %[[K]] low [2] high [0] interior [1]
// TWICE-NEXT:    return %[[P]]
func.func @f(%i: tensor<2xi64>, %t: tensor<6xf64>) -> tensor<5xf64> attributes {tenferro.linear = array<i64: 1>} {
  %s = tenferro.slice %t [1] to [6] step [2] : tensor<6xf64>
  %k = tenferro.take %s[%i] axis 0 : tensor<3xf64>, tensor<2xi64>
  %p = tenferro.pad %k low [2] high [0] interior [1] : tensor<2xf64>
  return %p : tensor<5xf64>
}
