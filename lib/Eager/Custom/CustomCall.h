// Calls of functions with rules and of extension families: run at once, recorded as one operation.
#ifndef TENFERRO_EAGER_CUSTOM_CUSTOMCALL_H
#define TENFERRO_EAGER_CUSTOM_CUSTOMCALL_H

#include "lib/Eager/Custom/CustomRules.h"
#include "lib/Eager/Custom/Extensions.h"

namespace tenferro::eager {

/// A call of a user's function on the session. Errors: see CustomFunction.
TensorList callFunction(EagerSession &session, const CustomDefinition &definition, const TensorList &inputs,
                        const std::source_location &where);

/// A call of a family's kernel on the session. Errors: see EagerSession::extension.
TensorList callFamily(EagerSession &session, std::string_view family, const TensorList &inputs,
                      const IntList &parameters, const std::source_location &where);

/// Gives a recorded call of a family, or of a compiled function that calls families, the rules that are installed now. Not under the walk lock:
/// rules are the user's code. Raises what `ExtensionRegistry::resolve` raises.
void refreshRules(RuntimeState &state, ExecutionEngine &engine, Call &call);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_CUSTOM_CUSTOMCALL_H
