// A compiled program as data: values, views and a list of kernel launches. Run by the program executor, written by the
// compiler; plain data on both sides.
#ifndef TENFERRO_RUNTIME_PROGRAM_PROGRAM_H
#define TENFERRO_RUNTIME_PROGRAM_PROGRAM_H

#include "lib/Core/Graph.h"
#include "runtime/core/Boxed.h"
#include "runtime/core/KernelAbi.h"
#include "runtime/launch/WindowDimensions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenferro::runtime {

/// Where a value of a program lives.
enum class StorageKind : uint8_t {
  Argument, ///< caller's tensor `index`, any strides
  Result,   ///< fresh contiguous buffer `index`, handed to the caller
  Arena,    ///< contiguous, at byte `offset` of the arena
  Constant, ///< contiguous, at byte `offset` of the program's constants
  Index,    ///< no memory: the i64 coordinate along axis `index` of `type.shape` (an iota)
  View,     ///< `view` of value `index`
};

/// A strided view. Dimension d of the view walks dimension `dims[d]` of the source from `starts[d]` in steps of `steps[d]`
/// (which may be negative); `dims[d]` = -1 repeats (stride 0). Source dimensions that no d names have extent 1 or are fixed at 0.
/// A reshape view has empty lists; its source is contiguous.
struct View {
  bool reshape = false;
  IntList dims, starts, steps;
  /// Of a diagonal: the source dimension that dimension d walks as well, from 0 in steps of 1, or -1. Otherwise empty.
  IntList alongside;
};

struct ProgramValue {
  core::ValueType type;
  StorageKind storage = StorageKind::Arena;
  uint32_t index = 0;
  int64_t offset = 0;
  Boxed<View> view;
};

enum class LaunchKind : uint8_t {
  Map,        ///< element-wise kernel over the shape of its operands, all of one shape
  Reduce,     ///< operands: inputs of one shape, then outputs of that shape without `axes`
  Matmul,     ///< dot_general: operands lhs, rhs, out; `dot`; out is lhs free, rhs free, batch, contiguous
  Take,       ///< operands: source, indices, out; `axes[0]`; negative indices count from the end; out of range is an error
  ScatterAdd, ///< operands: indices, updates, out (zeros first); `axes[0]`; updates of one target add in ascending order
  Pad,        ///< operands: source, out; out is zero except at low + i * (interior + 1); `low`, `interior` per dimension
  CumulativeSum, ///< operands: source, out of its type; `axes[0]`; `reverse`: from the last element down
  ArgMax, ///< operands: source, out (i64) of its shape without `axes[0]`: the first of the largest, the first NaN if any
  ArgMin, ///< the same of the smallest
  Copy,       ///< operands: source, out of the same shape and dtype
  Gather,     ///< operands: source, indices, out; `windows`
  Scatter,    ///< operands: operand, indices, updates, out (the operand first); `windows`
  ScatterPrefix, ///< operands: operand, indices, factors, addends, out; `windows`
  Callback,   ///< a kernel that the user brought: `callbacks[function]` of the program, on contiguous operands
};

/// A kernel of an extension family, by name: what runs it is bound when the program is loaded.
struct CallbackName {
  std::string family;
  uint64_t version = 0; ///< of the family's registration
  IntList parameters;
  friend bool operator==(const CallbackName &, const CallbackName &) = default;
};

struct DotDimensions {
  IntList lhsContracting, rhsContracting, lhsBatch, rhsBatch;
};

struct Launch {
  LaunchKind kind = LaunchKind::Map;
  /// Name of a precompiled kernel ("add.f64", "compare.lt.f64", "cast.f32.i64", "sum.f64"), or empty: JIT function
  /// `function` (for Reduce: `function` is the row kernel, `function + 1` the column kernel). Matmul, Take, ScatterAdd, Pad,
  /// CumulativeSum, ArgMax, ArgMin, Copy, Gather, Scatter and ScatterPrefix have drivers of their own and need neither.
  std::string kernel;
  uint32_t function = 0;
  std::vector<uint32_t> operands; ///< values: inputs, then outputs
  uint32_t outputs = 1;           ///< how many of the operands are outputs
  std::vector<Access> access;     ///< of each operand as the JIT function was compiled; empty for precompiled kernels
  IntList axes, low, interior;
  Boxed<DotDimensions> dot;
  Boxed<WindowDimensions> windows;
  bool reverse = false;
  /// Reduce with a JIT function: per output the precompiled reduction ("sum.f64") of block results, for more than
  /// kReductionBlock reduced elements. An Access::Index input of a Reduce must be an arithmetic progression over the
  /// reduced elements in logical order (always so with one reduced axis).
  std::vector<std::string> combine;
  /// Reduce with a JIT function: there is no column kernel, `function + 1` is not this launch's.
  bool rowOnly = false;
  /// Map and Reduce with a JIT function: operations of its body, roughly vector instructions. Decides whether threads share it.
  uint32_t weight = 1;
  /// Trace operation number of each fallible operation of the kernel, by ordinal.
  std::vector<uint32_t> opNumbers;
};

/// Which operation a launch stands for; the last one of a fused group.
struct LaunchOrigin {
  uint32_t opNumber = 0;    ///< of the trace: the operation itself, or the one whose derivative it is part of
  uint32_t innerNumber = 0; ///< the same inside the callee, where that operation is a call
  std::string made; ///< "log" for the operation itself, "log: cotangent of operand 0" for a term of a derivative
};

/// Runs in order. Results are always distinct `Result` values.
struct Program {
  std::vector<ProgramValue> values;
  std::vector<Launch> launches;
  std::vector<LaunchOrigin> origins; ///< of the launches, one each, or none at all
  std::vector<core::ValueType> arguments;
  std::vector<bool> argumentUsed;       ///< false: never read, may be passed as null
  std::vector<bool> argumentContiguous; ///< true: a reshape reads it; the executor copies it if it is not contiguous
  std::vector<uint32_t> results;
  int64_t arenaBytes = 0;
  std::vector<uint8_t> constants;
  std::vector<CallbackName> callbacks;
};

/// What the compiler returns for a request.
struct CompiledArtifact {
  Program program;
  std::vector<bool> active;           ///< which requested derivatives are there; all true for Forward
  std::vector<uint8_t> object;        ///< position-independent ELF object with the JIT functions; may be empty
  std::vector<std::string> functions; ///< symbol of JIT function i
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_PROGRAM_H
