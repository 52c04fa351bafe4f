// Running one case through the public interface.
#ifndef TENFERRO_TOOLS_CASES_RUN_H
#define TENFERRO_TOOLS_CASES_RUN_H

#include "tools/tenferro-cases/Case.h"

namespace tenferro::cases {

/// Everything the case says about values, derivatives or errors. Returns the sentences of what is wrong, one per failed
/// part; empty if it passes. Errors: UnsupportedError; FormatError where the inputs or outputs are
/// not as many as the operation has.
std::vector<std::string> runCase(const Case &test, EagerRuntime &runtime, ExecutionEngine &engine);

} // namespace tenferro::cases

#endif // TENFERRO_TOOLS_CASES_RUN_H
