// One sample per operation: the arguments in order, the result returned. Floats, where derivatives exist.
func.func @neg(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.neg %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @abs(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.abs %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sign(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sign %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @detach(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.detach %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @exp(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.exp %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @log(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.log %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @log1p(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.log1p %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @expm1(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.expm1 %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sqrt(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sqrt %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @rsqrt(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.rsqrt %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @tanh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.tanh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @erf(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.erf %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sigmoid(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sigmoid %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @erfc(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.erfc %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @exp2(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.exp2 %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @log2(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.log2 %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @log10(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.log10 %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @cbrt(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.cbrt %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sin(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sin %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @cos(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.cos %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @tan(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.tan %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @asin(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.asin %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @acos(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.acos %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @atan(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.atan %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sinh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sinh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @cosh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.cosh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @asinh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.asinh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @acosh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.acosh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @atanh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.atanh %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @silu(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.silu %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @floor(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.floor %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @ceil(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.ceil %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @round(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.round %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @trunc(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.trunc %x : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @is_nan(%x: tensor<3xf64>) -> tensor<3xi1> {
  %r = tenferro.is_nan %x : tensor<3xf64>
  return %r : tensor<3xi1>
}
func.func @is_inf(%x: tensor<3xf64>) -> tensor<3xi1> {
  %r = tenferro.is_inf %x : tensor<3xf64>
  return %r : tensor<3xi1>
}
func.func @is_finite(%x: tensor<3xf64>) -> tensor<3xi1> {
  %r = tenferro.is_finite %x : tensor<3xf64>
  return %r : tensor<3xi1>
}
func.func @rem(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.rem %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @floor_divide(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.floor_divide %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @atan2(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.atan2 %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @hypot(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.hypot %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @logaddexp(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.logaddexp %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @xlogy(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.xlogy %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @clamp(%x: tensor<3xf64>, %lower: tensor<3xf64>, %upper: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.clamp %x, %lower, %upper : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @add(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.add %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @sub(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.sub %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @mul(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.mul %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @div(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.div %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @pow(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.pow %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @maximum(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.maximum %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @minimum(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.minimum %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @szmul(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.szmul %a, %b : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @compare(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xi1> {
  %r = tenferro.compare lt, %a, %b : tensor<3xf64>
  return %r : tensor<3xi1>
}
func.func @select(%p: tensor<3xi1>, %a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @convert(%x: tensor<3xf32>) -> tensor<3xf64> {
  %r = tenferro.convert %x : tensor<3xf32> to tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @cast(%x: tensor<3xf64>) -> tensor<3xf32> {
  %r = tenferro.cast %x : tensor<3xf64> to tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @reshape(%x: tensor<2x3xf64>) -> tensor<6xf64> {
  %r = tenferro.reshape %x : tensor<2x3xf64> to tensor<6xf64>
  return %r : tensor<6xf64>
}
func.func @transpose(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %r = tenferro.transpose %x [1, 0] : tensor<2x3xf64>
  return %r : tensor<3x2xf64>
}
func.func @broadcast_in_dim(%x: tensor<3xf64>) -> tensor<2x3xf64> {
  %r = tenferro.broadcast_in_dim %x [1] : tensor<3xf64> to tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
func.func @slice(%x: tensor<2x4xf64>) -> tensor<2x1xf64> {
  %r = tenferro.slice %x [0, 1] to [2, 3] step [1, 2] : tensor<2x4xf64>
  return %r : tensor<2x1xf64>
}
func.func @pad(%x: tensor<3xf64>) -> tensor<6xf64> {
  %r = tenferro.pad %x low [1] high [0] interior [1] : tensor<3xf64>
  return %r : tensor<6xf64>
}
func.func @sum(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  %r = tenferro.sum %x [0] : tensor<2x3xf64>
  return %r : tensor<3xf64>
}
func.func @max(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  %r = tenferro.max %x [0] : tensor<2x3xf64>
  return %r : tensor<3xf64>
}
func.func @min(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  %r = tenferro.min %x [0] : tensor<2x3xf64>
  return %r : tensor<3xf64>
}
func.func @take(%x: tensor<5x3xf64>, %i: tensor<2xi64>) -> tensor<2x3xf64> {
  %r = tenferro.take %x[%i] axis 0 : tensor<5x3xf64>, tensor<2xi64>
  return %r : tensor<2x3xf64>
}
func.func @scatter_add(%i: tensor<2xi64>, %u: tensor<2x3xf64>) -> tensor<5x3xf64> {
  %r = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
  return %r : tensor<5x3xf64>
}
func.func @one_hot(%i: tensor<4xi64>) -> tensor<4x10xf64> {
  %r = tenferro.one_hot %i depth 10 axis 1 : tensor<4xi64> to tensor<4x10xf64>
  return %r : tensor<4x10xf64>
}
func.func @dot_general(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> tensor<2x4xf64> {
  %r = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x3xf64>, tensor<3x4xf64>
  return %r : tensor<2x4xf64>
}
func.func @concatenate(%a: tensor<2x3xf64>, %b: tensor<1x3xf64>, %c: tensor<2x3xf64>) -> tensor<5x3xf64> {
  %r = tenferro.concatenate %a, %b, %c axis 0 : tensor<2x3xf64>, tensor<1x3xf64>, tensor<2x3xf64>
  return %r : tensor<5x3xf64>
}
func.func @reverse(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %r = tenferro.reverse %x [0] : tensor<4x2xf64>
  return %r : tensor<4x2xf64>
}
func.func @extract_diag(%x: tensor<3x2x4xf64>) -> tensor<3x2xf64> {
  %r = tenferro.extract_diag %x axes 0, 2 : tensor<3x2x4xf64>
  return %r : tensor<3x2xf64>
}
func.func @embed_diag(%x: tensor<3x2xf64>) -> tensor<2x3x2xf64> {
  %r = tenferro.embed_diag %x axes 2, 0 : tensor<3x2xf64>
  return %r : tensor<2x3x2xf64>
}
func.func @gather(%x: tensor<5x4xf64>, %i: tensor<3x2xi64>) -> tensor<2x3xf64> {
  %r = tenferro.gather %x[%i] offset [0] collapsed [1] map [0, 1] vector 1 sizes [2, 1] error : tensor<5x4xf64>, tensor<3x2xi64>
  return %r : tensor<2x3xf64>
}
func.func @gather_fill(%x: tensor<3xf64>, %i: tensor<4xi64>) -> tensor<4x2xf64> {
  %r = tenferro.gather %x[%i] offset [1] collapsed [] map [0] vector 1 sizes [2] fill : tensor<3xf64>, tensor<4xi64>
  return %r : tensor<4x2xf64>
}
func.func @scatter_add_windows(%x: tensor<5x4xf64>, %i: tensor<3x2xi64>, %u: tensor<2x3xf64>) -> tensor<5x4xf64> {
  %r = tenferro.scatter %x[%i] add %u window [0] inserted [1] map [0, 1] vector 1 error : tensor<5x4xf64>, tensor<3x2xi64>, tensor<2x3xf64>
  return %r : tensor<5x4xf64>
}
func.func @scatter_set(%x: tensor<4x2xf64>, %i: tensor<5xi64>, %u: tensor<5x2xf64>) -> tensor<4x2xf64> {
  %r = tenferro.scatter %x[%i] set %u window [1] inserted [0] map [0] vector 1 error : tensor<4x2xf64>, tensor<5xi64>, tensor<5x2xf64>
  return %r : tensor<4x2xf64>
}
func.func @scatter_max(%x: tensor<4xf64>, %i: tensor<5xi64>, %u: tensor<5xf64>) -> tensor<4xf64> {
  %r = tenferro.scatter %x[%i] max %u window [] inserted [0] map [0] vector 1 error : tensor<4xf64>, tensor<5xi64>, tensor<5xf64>
  return %r : tensor<4xf64>
}
func.func @scatter_min(%x: tensor<4xf64>, %i: tensor<5xi64>, %u: tensor<5xf64>) -> tensor<4xf64> {
  %r = tenferro.scatter %x[%i] min %u window [] inserted [0] map [0] vector 1 clip : tensor<4xf64>, tensor<5xi64>, tensor<5xf64>
  return %r : tensor<4xf64>
}
func.func @prod(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  %r = tenferro.prod %x [0] : tensor<2x3xf64>
  return %r : tensor<3xf64>
}
func.func @cumsum(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %r = tenferro.cumsum forward %x axis 1 : tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
func.func @any(%p: tensor<2x3xi1>) -> tensor<3xi1> {
  %r = tenferro.any %p [0] : tensor<2x3xi1>
  return %r : tensor<3xi1>
}
func.func @all(%p: tensor<2x3xi1>) -> tensor<3xi1> {
  %r = tenferro.all %p [0] : tensor<2x3xi1>
  return %r : tensor<3xi1>
}
func.func @argmax(%x: tensor<2x3xf64>) -> tensor<3xi64> {
  %r = tenferro.argmax %x axis 0 : tensor<2x3xf64>
  return %r : tensor<3xi64>
}
func.func @argmin(%x: tensor<2x3xf64>) -> tensor<3xi64> {
  %r = tenferro.argmin %x axis 0 : tensor<2x3xf64>
  return %r : tensor<3xi64>
}
func.func @scatter_mul(%x: tensor<4x2xf64>, %i: tensor<5xi64>, %u: tensor<5x2xf64>) -> tensor<4x2xf64> {
  %r = tenferro.scatter %x[%i] mul %u window [1] inserted [0] map [0] vector 1 error : tensor<4x2xf64>, tensor<5xi64>, tensor<5x2xf64>
  return %r : tensor<4x2xf64>
}
func.func @scatter_prefix(%x: tensor<4x2xf64>, %i: tensor<5xi64>, %f: tensor<5x2xf64>, %a: tensor<5x2xf64>) -> tensor<5x2xf64> {
  %r = tenferro.scatter_prefix %x[%i] forward %f, %a window [1] inserted [0] map [0] vector 1 error : tensor<4x2xf64>, tensor<5xi64>, tensor<5x2xf64>
  return %r : tensor<5x2xf64>
}
func.func @scatter_prefix_reverse(%x: tensor<4xf64>, %i: tensor<3xi64>, %f: tensor<2x3xf64>, %a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %r = tenferro.scatter_prefix %x[%i] reverse %f, %a window [0] inserted [] map [0] vector 1 clip : tensor<4xf64>, tensor<3xi64>, tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
