// The contract between generated code and the runtime: how a kernel is called and what it returns.
#ifndef TENFERRO_RUNTIME_CORE_KERNELABI_H
#define TENFERRO_RUNTIME_CORE_KERNELABI_H

#include <cstdint>

namespace tenferro::runtime {

/// What a kernel call found wrong: `kOk`, or the smallest `ordinal << 8 | KernelError` over all elements, where the
/// ordinal numbers the fallible operations of the kernel in program order. Statuses combine by unsigned minimum.
using Status = uint64_t;
inline constexpr Status kOk = ~uint64_t{0};

enum class KernelError : uint8_t { DivisionByZero = 1, IndexOutOfRange = 2, NegativePower = 3 };

inline constexpr Status makeStatus(uint64_t ordinal, KernelError error) {
  return ordinal << 8 | static_cast<uint64_t>(error);
}

/// How a kernel was compiled to read or write one operand along its vectorised dimension.
enum class Access : uint8_t {
  Unit,   ///< consecutive elements in memory
  Scalar, ///< one element for all iterations (inputs only): stride 0
  Index,  ///< no memory: the operand is an i64 arithmetic progression, `args[i]` its first value, strides its steps
};

/// An element-wise kernel: n x m iterations, the n ones vectorised.
///
/// `args` holds the addresses of the inputs' first elements, then the outputs'. `inner[i]` and `outer[i]` are byte
/// strides of operand i along n and m (steps for Access::Index); `inner[i]` must be what the operand's Access says, the
/// outer ones are free. An output may be the same memory as an input read at the same place, nothing else overlaps.
/// Bools are bytes 0 or 1. n and m may be 0. Never throws, never touches memory outside the operands, also when it
/// reports an error.
using MapKernel = Status (*)(void *const *args, const int64_t *inner, const int64_t *outer, int64_t n, int64_t m);

/// The vectors of a map kernel: iterations 0 to n, a multiple of the lanes it was compiled for. Operands as in
/// MapKernel.
using VectorLoop = void (*)(void *const *args, int64_t n);

/// What runVectorLoop has to know of a vector loop's operands.
struct VectorLoopShape {
  int32_t lanes, inputs, operands;
  int32_t sizes[]; ///< of each operand: bytes of an element, 0 if it does not move along n
};

/// Vector loops have at most so many operands, and vectors of at most so many bytes.
inline constexpr int32_t kMaxLoopOperands = 64, kMaxVectorBytes = 64;

/// The name under which generated code calls runVectorLoop (runtime/launch/VectorLoop.h).
inline constexpr char kRunVectorLoop[] = "tenferro_run_vector_loop";

/// The longest run of elements one reduction kernel call reduces; longer reductions reduce their blocks' results again.
inline constexpr int64_t kReductionBlock = 4096;

/// The lanes of the reduction tree: element k goes to lane k mod 32, lanes add in ascending k, and then lane j takes
/// lane j+16, j+8, j+4, j+2, j+1. Lanes without an element hold -0.0 (for sums).
inline constexpr int64_t kReductionLanes = 32;

/// A reduction kernel: for each of m outputs reduces n <= kReductionBlock elements of the scalar body over the inputs.
///
/// `reduced[i]` and `kept[i]` are byte strides of operand i along the n reduced elements and the m outputs; those of
/// outputs along n are ignored. With n = 0 it writes the identity (sum: +0).
///  * A row kernel vectorises n: inputs must have the compiled Access along `reduced`, anything along `kept`.
///  * A column kernel vectorises m: inputs must have the compiled Access along `kept`, outputs unit along `kept`,
///  anything along `reduced`.
/// Both give the same bits.
using ReduceKernel = Status (*)(void *const *args, const int64_t *reduced, const int64_t *kept, int64_t n, int64_t m);

/// One register tile of a matrix product: C[0..rows, 0..columns] of column-major C, `columns` fixed per kernel (its
/// index in the table), vectors along the rows.
///
/// a: address of A[0,0]; rows are consecutive in memory, `aStep` bytes lead to the next k. b: address of B[0,0], any
/// strides: `bStep` bytes to the next k, `bColumn` bytes to the next column. c: consecutive rows, `cColumn` bytes to
/// the next column. rows <= the kernel's row limit; the last vector is masked. One fused multiply-add chain per element
/// over ascending k from +0, or, if `accumulate`, from the stored C.
using MatmulKernel = void (*)(const void *a, int64_t aStep, const void *b, int64_t bStep, int64_t bColumn, void *c,
                              int64_t cColumn, int64_t rows, int64_t k, int64_t accumulate);

/// CPU feature levels kernels are generated for.
enum class CpuLevel : uint8_t { V3 = 3, V4 = 4 };

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_KERNELABI_H
