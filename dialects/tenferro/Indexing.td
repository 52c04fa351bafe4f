// Reading and writing by index.
#ifndef TENFERRO_DIALECT_INDEXING
#define TENFERRO_DIALECT_INDEXING

include "dialects/tenferro/TenferroBase.td"

def Tenferro_TakeOp : Tenferro_InferredOp<"take", [Tenferro_Linear]> {
  let family = "Indexing";
  let schema = ["axis:int"];
  let summary = "picks slices along one axis by index";
  let description = [{
    The axes of the indices replace `axis`. A negative index counts from the end; one out of range is an error at
    execution.

    Constraints: an axis of the operand; integer indices.

    Derivative: linear in the operand; the cotangent is scattered and added.

    Example:

    ```mlir
    // tensor<5x3xf64> by tensor<2xi64> gives tensor<2x3xf64>.
    %rows = tenferro.take %x[%i] axis 0 : tensor<5x3xf64>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$indices, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$operand `[` $indices `]` `axis` $axis attr-dict `:` type($operand) `,` type($indices)";
}

def Tenferro_ScatterAddOp : Tenferro_InferredOp<"scatter_add", [Tenferro_Linear]> {
  let family = "Indexing";
  let schema = ["axis:int", "extent:int"];
  let summary = "adds slices into zeros along one axis by index";
  let description = [{
    The transpose of `take`: the updates' axes from `axis` that belong to the indices become one axis of `extent`. Updates of
    one target add in ascending order, first axis fastest. A negative index counts from the end; one out of range is an
    error at execution.

    Constraints: integer indices; updates of numbers with the axes of the indices at `axis`; an extent of at least 0.

    Derivative: linear in the updates; the cotangent is taken at the indices.

    Example:

    ```mlir
    // tensor<2x3xf64> at tensor<2xi64> gives tensor<5x3xf64>.
    %x = tenferro.scatter_add %updates at %i axis 0 extent 5 : tensor<2x3xf64>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$indices, Tenferro_Tensor:$updates, I64Attr:$axis, I64Attr:$extent);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $updates `at` $indices `axis` $axis `extent` $extent attr-dict `:` type($updates) `,` type($indices)
  }];
}

def Tenferro_OneHotOp : Tenferro_Op<"one_hot", [Tenferro_Elementwise, Tenferro_NonDifferentiable, Tenferro_CheapInterface]> {
  let family = "Indexing";
  let schema = ["depth:int", "axis:int", "dtype:result_dtype"];
  let summary = "one where the coordinate along a new axis is the index, zero elsewhere";
  let description = [{
    An index outside [0, depth), a negative one included, gives a row of zeros.

    Constraints: integer indices, a depth of at least 0, an axis of the result.

    Derivative: none (piecewise constant).

    Example:

    ```mlir
    %rows = tenferro.one_hot %labels depth 10 axis 1 : tensor<4xi64> to tensor<4x10xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$indices, I64Attr:$depth, I64Attr:$axis);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = "$indices `depth` $depth `axis` $axis attr-dict `:` type($indices) `to` type($result)";
}

def Tenferro_GatherOp : Tenferro_InferredOp<"gather", [Tenferro_Linear]> {
  let family = "Indexing";
  let schema = ["offset_dims:ints", "collapsed_slice_dims:ints", "start_index_map:ints", "index_vector_dim:int",
                "slice_sizes:ints", "mode:enum"];
  let summary = "picks windows by the index of their first element";
  let description = [{
    StableHLO's gather. Along `index_vector_dim` the indices hold vectors (if it is their rank, each is a vector of one);
    component k starts the window along axis `start_index_map[k]` of the operand, other axes start at 0. `slice_sizes` are
    the window's extents. Axes `offset_dims` of the result walk the window without its `collapsed_slice_dims`; the others
    are those of the indices, in order.

    A window that is not inside is by `mode`: `error`, an error at execution, after negative starts have counted from the
    end; `clip`, moved inside; `fill`, +0 (false) throughout, where a negative start is outside.

    Constraints: integer indices; distinct axes, offset_dims and collapsed_slice_dims ascending; a component for each
    entry of start_index_map; sizes in [0, extent], 1 where collapsed (in an extent of 0 every
    window is outside).

    Derivative: linear in the operand; the cotangent is scattered and added.

    Example:

    ```mlir
    // Elements (i, j) of a matrix, for each of four index pairs.
    %e = tenferro.gather %x[%ij] offset [] collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] error
       : tensor<3x4xf64>, tensor<4x2xi64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$indices, DenseI64ArrayAttr:$offset_dims,
                       DenseI64ArrayAttr:$collapsed_slice_dims, DenseI64ArrayAttr:$start_index_map,
                       I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes, Tenferro_IndexMode:$mode);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $indices `]` `offset` $offset_dims `collapsed` $collapsed_slice_dims `map` $start_index_map `vector`
    $index_vector_dim `sizes` $slice_sizes $mode attr-dict `:` type($operand) `,` type($indices)
  }];
}

def Tenferro_ScatterOp : Tenferro_InferredOp<"scatter", [
    Tenferro_Linear, DeclareOpInterfaceMethods<Tenferro_NonlinearInterface, ["nonlinearOperands"]>]> {
  let family = "Indexing";
  let schema = ["update:enum", "update_window_dims:ints", "inserted_window_dims:ints", "scatter_dims_to_operand_dims:ints",
                "index_vector_dim:int", "mode:enum"];
  let summary = "writes windows by the index of their first element";
  let description = [{
    StableHLO's scatter into the operand; the updates are laid out as gather lays out its result. Updates meet their
    target one by one in ascending order of the updates' elements, first axis fastest: `add` adds, `mul` multiplies, `max`
    and `min` keep the larger and the smaller (NaN if either is), `set` replaces, so that the last one stays.

    A window that is not inside is by `mode`: `error`, an error at execution, after negative starts have counted from the
    end; `clip`, moved inside; `fill`, dropped, where a negative start is outside.

    Constraints: integer indices; operand and updates of one dtype, numbers unless `set`; axes as gather's; windows no
    larger than the operand.

    Derivative: linear in operand and updates for `add` and `set`; of an element set more than once, the last update gets
    the cotangent. For `mul` linear in the operand, and an update's slope is the product of all others at its target. For
    `max` and `min` operand and updates that equal the result share it evenly.

    Example:

    ```mlir
    %y = tenferro.scatter %x[%i] add %u window [1] inserted [0] map [0] vector 1 error
       : tensor<4x3xf64>, tensor<2x1xi64>, tensor<2x3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$indices, Tenferro_Tensor:$updates,
                       Tenferro_ScatterUpdate:$update, DenseI64ArrayAttr:$update_window_dims,
                       DenseI64ArrayAttr:$inserted_window_dims, DenseI64ArrayAttr:$scatter_dims_to_operand_dims,
                       I64Attr:$index_vector_dim, Tenferro_IndexMode:$mode);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $indices `]` $update $updates `window` $update_window_dims `inserted` $inserted_window_dims `map`
    $scatter_dims_to_operand_dims `vector` $index_vector_dim $mode attr-dict `:` type($operand) `,` type($indices) `,`
    type($updates)
  }];
}

def Tenferro_ScatterPrefixOp : Tenferro_InferredOp<"scatter_prefix", [
    Tenferro_Linear, DeclareOpInterfaceMethods<Tenferro_NonlinearInterface, ["nonlinearOperands"]>]> {
  let family = "Indexing";
  let schema = ["order:enum", "update_window_dims:ints", "inserted_window_dims:ints", "scatter_dims_to_operand_dims:ints",
                "index_vector_dim:int", "mode:enum"];
  let summary = "what each of a row of updates finds at its target";
  let description = [{
    Targets begin as the operand. Update by update, in ascending order of their elements or in reverse, a target x is read
    and becomes factor * x + addend, rounded twice. The result holds what the updates read: of the factors alone, the
    product of those that came before. Windows as scatter's; one that is dropped reads +0.

    Constraints: as scatter's; factors and addends of one type.

    Derivative: linear in operand and addends, transposed by the other order; a factor's slope is the result.

    Example:

    ```mlir
    %before = tenferro.scatter_prefix %x[%i] forward %f, %a window [] inserted [0] map [0] vector 1 error
       : tensor<4xf64>, tensor<3xi64>, tensor<3xf64>
    ```
  }];
  let arguments = (ins Tenferro_Tensor:$operand, Tenferro_Tensor:$indices, Tenferro_Tensor:$factors,
                       Tenferro_Tensor:$addends, Tenferro_ScanOrder:$order, DenseI64ArrayAttr:$update_window_dims,
                       DenseI64ArrayAttr:$inserted_window_dims, DenseI64ArrayAttr:$scatter_dims_to_operand_dims,
                       I64Attr:$index_vector_dim, Tenferro_IndexMode:$mode);
  let results = (outs Tenferro_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $indices `]` $order $factors `,` $addends `window` $update_window_dims `inserted`
    $inserted_window_dims `map` $scatter_dims_to_operand_dims `vector` $index_vector_dim $mode attr-dict `:`
    type($operand) `,` type($indices) `,` custom<EqualTypes>(type($factors), type($addends))
  }];
}

#endif // TENFERRO_DIALECT_INDEXING
