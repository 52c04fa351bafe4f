// The kernels of each kind of launch.
#ifndef TENFERRO_CODEGEN_GPU_LAUNCHES_H
#define TENFERRO_CODEGEN_GPU_LAUNCHES_H

#include "lib/CodeGen/Gpu/KernelWriter.h"

namespace tenferro::compiler {

/// A launch of the program with its operands resolved.
struct DeviceLaunch {
  const runtime::Launch &launch;
  mlir::Operation *origin;
  llvm::SmallVector<Operand> inputs, outputs;
};

void emitMap(DeviceProgram &program, const DeviceLaunch &launch);
void emitCopy(DeviceProgram &program, const DeviceLaunch &launch);
void emitPad(DeviceProgram &program, const DeviceLaunch &launch);
void emitCumulativeSum(DeviceProgram &program, const DeviceLaunch &launch);
void emitPosition(DeviceProgram &program, const DeviceLaunch &launch);
void emitReduce(DeviceProgram &program, const DeviceLaunch &launch);
void emitDotGeneral(DeviceProgram &program, const DeviceLaunch &launch);
void emitGather(DeviceProgram &program, const DeviceLaunch &launch);
void emitScatter(DeviceProgram &program, const DeviceLaunch &launch);
void emitTake(DeviceProgram &program, const DeviceLaunch &launch);
void emitScatterAdd(DeviceProgram &program, const DeviceLaunch &launch);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_LAUNCHES_H
