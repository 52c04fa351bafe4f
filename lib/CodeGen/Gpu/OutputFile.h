// Device code to a file.
#ifndef TENFERRO_CODEGEN_GPU_OUTPUTFILE_H
#define TENFERRO_CODEGEN_GPU_OUTPUTFILE_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tenferro::compiler {

/// Writes `bytes` to the file `name` in `folder`, which is made if need be; an empty folder takes nothing. What goes
/// wrong is a diagnostic at `module`.
inline mlir::LogicalResult writeOutput(mlir::Operation *module, llvm::StringRef folder, const llvm::Twine &name,
                                       llvm::StringRef bytes) {
  if (folder.empty())
    return mlir::success();
  std::string base = name.str();
  if (base.find('/') != std::string::npos)
    return module->emitError("expects a name without '/' for a file, but got '") << base << "'";
  llvm::SmallString<128> path(folder);
  std::error_code error = llvm::sys::fs::create_directories(path);
  llvm::sys::path::append(path, base);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << bytes;
  }
  if (error)
    return module->emitError("cannot write '") << path << "': " << error.message();
  return mlir::success();
}

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_OUTPUTFILE_H
