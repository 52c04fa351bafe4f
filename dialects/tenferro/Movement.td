// Operations that move elements without computing.
#ifndef TENFERRO_DIALECT_MOVEMENT
#define TENFERRO_DIALECT_MOVEMENT

include "dialects/tenferro/TenferroBase.td"

def Tenferro_ReshapeOp : Tenferro_Op<"reshape", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["shape:result_shape"];
  let view = 1;
  let summary = "the same elements under another shape";
  let description = [{
    Elements keep their position when counted with the first axis fastest.

    Constraints: as many elements.

    Derivative: linear; the cotangent is reshaped back.

    Example:

    ```mlir
    %flat = tenferro.reshape %x : tensor<2x3xf64> to tensor<6xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Tenferro_DetachOp : Tenferro_InferredOp<"detach", [
    Tenferro_NonDifferentiable, Tenferro_CheapInterface,
    DeclareOpInterfaceMethods<Tenferro_ResidualInterface, ["getKept"]>]> {
  let family = "Movement";
  let shapeRule = "inferDetach";
  let summary = "the same values, which no derivative goes through";
  let description = [{
    What a recorded function holds for a detached tensor and for what it computes while recording is off. Lowering for
    execution drops it.

    Constraints: none.

    Derivative: none.

    Example:

    ```mlir
    %target = tenferro.detach %x : tensor<4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Tenferro_TransposeOp : Tenferro_InferredOp<"transpose", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["permutation:ints"];
  let view = 1;
  let summary = "permutes the axes of a tensor";
  let description = [{
    Axis `i` of the result is axis `permutation[i]` of the operand.

    Constraints: a permutation of [0, rank).

    Derivative: linear; the cotangent is permuted back by the inverse.

    Example:

    ```mlir
    // tensor<2x3xf64> becomes tensor<3x2xf64>.
    %t = tenferro.transpose %x [1, 0] : tensor<2x3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Tenferro_BroadcastInDimOp : Tenferro_Op<"broadcast_in_dim", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["dims:ints", "shape:result_shape"];
  let view = 1;
  let summary = "repeats a tensor along new or unit axes";
  let description = [{
    Axis `k` of the operand becomes axis `dims[k]` of the result; an extent of 1 is repeated.

    Constraints: one distinct axis of the result per axis of the operand, of equal extent unless the operand's is 1.

    Derivative: linear; the cotangent is summed over the repeated axes.

    Example:

    ```mlir
    %rows = tenferro.broadcast_in_dim %x [1] : tensor<3xf64> to tensor<2x3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand $dims attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Tenferro_SliceOp : Tenferro_InferredOp<"slice", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["starts:ints", "limits:ints", "strides:ints"];
  let view = 1;
  let summary = "every stride-th element from start to limit along each axis";
  let description = [{
    Constraints: one entry per axis; 0 <= start <= limit <= extent; strides of at least 1.

    Derivative: linear; the cotangent is padded back with zeros.

    Example:

    ```mlir
    %part = tenferro.slice %x [0, 1] to [2, 3] step [1, 2] : tensor<2x4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand $starts `to` $limits `step` $strides attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Tenferro_PadOp : Tenferro_InferredOp<"pad", [Tenferro_Linear]> {
  let family = "Movement";
  let schema = ["low:ints", "high:ints", "interior:ints"];
  let summary = "surrounds and interleaves a tensor with zeros";
  let description = [{
    Element i of an axis moves to low + i * (interior + 1); everything else is +0 (false).

    Constraints: one entry per axis, each at least 0.

    Derivative: linear; the cotangent is sliced back.

    Example:

    ```mlir
    %wide = tenferro.pad %x low [1] high [0] interior [1] : tensor<3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `low` $low `high` $high `interior` $interior attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Tenferro_ConcatenateOp : Tenferro_InferredOp<"concatenate", [Tenferro_Linear]> {
  let family = "Movement";
  let schema = ["axis:int"];
  let summary = "joins tensors along an axis";
  let description = [{
    The operands follow each other along `axis`. Every element is copied, signed zeros and NaN included.

    Constraints: at least one operand; one dtype; equal shapes apart from `axis`.

    Derivative: linear; each cotangent is a slice.

    Example:

    ```mlir
    // tensor<2x3xf64> and tensor<1x3xf64> give tensor<3x3xf64>.
    %rows = tenferro.concatenate %a, %b axis 0 : tensor<2x3xf64>, tensor<1x3xf64>
    ```
  }];
  let arguments = (ins Variadic<Tenferro_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operands `axis` $axis attr-dict `:` type($operands)";
  let hasFolder = 1;
}

def Tenferro_ReverseOp : Tenferro_InferredOp<"reverse", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["axes:ints"];
  let view = 1;
  let summary = "the elements in the opposite order along some axes";
  let description = [{
    Element `i` of each of the axes is element `extent - 1 - i` of the operand: a view with negative strides.

    Constraints: distinct axes in [0, rank).

    Derivative: linear; the cotangent is reversed back.

    Example:

    ```mlir
    %back = tenferro.reverse %x [0] : tensor<4x2xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand $axes attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Tenferro_ExtractDiagOp : Tenferro_InferredOp<"extract_diag", [Tenferro_Linear, Tenferro_CheapInterface]> {
  let family = "Movement";
  let schema = ["axis_a:int", "axis_b:int"];
  let view = 1;
  let summary = "the elements at equal coordinates of two axes";
  let description = [{
    `axis_b` goes away; `axis_a` keeps its place and takes the shorter of the two extents: a view whose stride is the sum
    of theirs.

    Constraints: two distinct axes in [0, rank).

    Derivative: linear; the cotangent is put on the diagonal of zeros.

    Example:

    ```mlir
    // tensor<3x4xf64> becomes tensor<3xf64>.
    %d = tenferro.extract_diag %x axes 0, 1 : tensor<3x4xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, I64Attr:$axis_a, I64Attr:$axis_b);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axis_a `,` $axis_b attr-dict `:` type($operand)";
}

def Tenferro_EmbedDiagOp : Tenferro_InferredOp<"embed_diag", [Tenferro_Linear]> {
  let family = "Movement";
  let schema = ["axis_a:int", "axis_b:int"];
  let summary = "puts the elements of an axis on the diagonal of two";
  let description = [{
    Both axes count in the result; `axis_b` is the new one, with the extent of `axis_a`. Where their coordinates differ
    the result is +0 (false).

    Constraints: two distinct axes in [0, rank of the result).

    Derivative: linear; the cotangent's diagonal.

    Example:

    ```mlir
    // tensor<3xf64> becomes tensor<3x3xf64>.
    %m = tenferro.embed_diag %x axes 0, 1 : tensor<3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, I64Attr:$axis_a, I64Attr:$axis_b);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axis_a `,` $axis_b attr-dict `:` type($operand)";
}

#endif // TENFERRO_DIALECT_MOVEMENT
