// The one door in the wall: libtenferro-compiler, opened behind the first tracked variable, or on the first miss.
#ifndef TENFERRO_EAGER_PROGRAMS_COMPILERLIBRARY_H
#define TENFERRO_EAGER_PROGRAMS_COMPILERLIBRARY_H

#include "lib/Compiler/CompileInterface.h"

#include <string>

namespace tenferro::eager {

/// Where that library is; a bare name where only the loader knows.
std::string compilerLibraryPath();

/// Compiles through libtenferro-compiler.so, which lies beside libtenferro. Raises the compiler's failure as the
/// exception of its kind, and a RuntimeError (Io) where the library cannot be opened, has no entry or was built with
/// another interface; the next call tries again.
runtime::CompiledArtifact compileProgram(const compiler::CompileRequest &request);

/// The text for an explanation, through the same door. Raises as `compileProgram`.
std::string explainProgram(const compiler::ExplainRequest &request);

/// Opens the library in the background and makes it ready to compile, once per process. A miss that comes
/// meanwhile waits for the opening alone. If it fails, the first miss tells.
void openCompilerInBackground();

/// Around a fork: nobody opens the library in between, and no call is in flight.
void lockCompilerLibrary();
void unlockCompilerLibrary(bool inChild);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_COMPILERLIBRARY_H
