// Programs whose derivatives check_derivatives.py compares with differences: attributes beyond the samples of single operations, and chains.
func.func @tanhchain(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = tenferro.tanh %x : tensor<3xf64>
  %b = tenferro.mul %a, %x : tensor<3xf64>
  %c = tenferro.exp %b : tensor<3xf64>
  %r = tenferro.add %c, %a : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @softmax(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %m = tenferro.max %x [0] : tensor<2x3xf64>
  %mb = tenferro.broadcast_in_dim %m [1] : tensor<3xf64> to tensor<2x3xf64>
  %d = tenferro.sub %x, %mb : tensor<2x3xf64>
  %e = tenferro.exp %d : tensor<2x3xf64>
  %s = tenferro.sum %e [0] : tensor<2x3xf64>
  %sb = tenferro.broadcast_in_dim %s [1] : tensor<3xf64> to tensor<2x3xf64>
  %r = tenferro.div %e, %sb : tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
func.func @batched(%a: tensor<2x3x2xf64>, %b: tensor<3x4x2xf64>) -> tensor<2x4x2xf64> {
  %r = tenferro.dot_general %a, %b contracting [1] x [0] batch [2] x [2] : tensor<2x3x2xf64>, tensor<3x4x2xf64>
  return %r : tensor<2x4x2xf64>
}
func.func @batched2(%a: tensor<2x5x3xf64>, %b: tensor<4x5x3xf64>) -> tensor<2x4x5xf64> {
  %r = tenferro.dot_general %a, %b contracting [2] x [2] batch [1] x [1] : tensor<2x5x3xf64>, tensor<4x5x3xf64>
  return %r : tensor<2x4x5xf64>
}
func.func @contract2(%a: tensor<2x3x4xf64>, %b: tensor<4x5x2xf64>) -> tensor<3x5xf64> {
  %r = tenferro.dot_general %a, %b contracting [0, 2] x [2, 0] : tensor<2x3x4xf64>, tensor<4x5x2xf64>
  return %r : tensor<3x5xf64>
}
func.func @bcast1(%x: tensor<1x3xf64>) -> tensor<2x4x3xf64> {
  %r = tenferro.broadcast_in_dim %x [1, 2] : tensor<1x3xf64> to tensor<2x4x3xf64>
  return %r : tensor<2x4x3xf64>
}
func.func @take2(%x: tensor<2x5x3xf64>, %i: tensor<2x2xi64>) -> tensor<2x2x2x3xf64> {
  %r = tenferro.take %x[%i] axis 1 : tensor<2x5x3xf64>, tensor<2x2xi64>
  return %r : tensor<2x2x2x3xf64>
}
func.func @transp3(%x: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %r = tenferro.transpose %x [2, 0, 1] : tensor<2x3x4xf64>
  return %r : tensor<4x2x3xf64>
}
func.func @sum2(%x: tensor<2x3x4xf64>) -> tensor<3xf64> {
  %r = tenferro.sum %x [0, 2] : tensor<2x3x4xf64>
  return %r : tensor<3xf64>
}
func.func @gelu(%x: tensor<3xf64>) -> tensor<3xf64> {
  %c = tenferro.constant dense<0.70710678118654752> : tensor<3xf64>
  %h = tenferro.constant dense<0.5> : tensor<3xf64>
  %one = tenferro.constant dense<1.0> : tensor<3xf64>
  %a = tenferro.mul %x, %c : tensor<3xf64>
  %e = tenferro.erf %a : tensor<3xf64>
  %f = tenferro.add %e, %one : tensor<3xf64>
  %g = tenferro.mul %f, %h : tensor<3xf64>
  %r = tenferro.mul %g, %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
