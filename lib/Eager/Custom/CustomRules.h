// From callables to a function with rules as plain data: staging, checks, one layout of arguments for all bodies.
#ifndef TENFERRO_EAGER_CUSTOM_CUSTOMRULES_H
#define TENFERRO_EAGER_CUSTOM_CUSTOMRULES_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Trace/Staging.h"
#include "tenferro/Extension.h"

#include <optional>

namespace tenferro::eager {

/// What customJvp, customVjp and customLinear hold.
struct CustomDefinition {
  std::string name;
  CustomBody body;
  CustomRule jvp, vjp;
  CustomTranspose transpose;
};

/// Puts together a `core::CustomFunction`. The inputs' and results' types, `inputs` and `linear` are set before the
/// first body.
class CustomAssembler {
public:
  /// `embedsNumbers`: captured numbers become part of the program, and other captures are an error (a family's rules);
  /// else they are operands, zeros apart (a user's, whose numbers may change from call to call). `where`: the user's
  /// line for what is wrong with results, if it is known.
  CustomAssembler(core::CustomFunction &function, bool embedsNumbers, const std::source_location *where = nullptr)
      : function_(function), embedsNumbers_(embedsNumbers), where_(where) {}

  /// Records the body of a role on placeholders and checks what it returns. Raises what `body` throws.
  void stageBody(EagerRuntime &runtime, ExecutionEngine &engine, core::CustomRole role, const StagedBody &body);

  /// Writes the bodies and the operands' types into the function; returns the captured tensors, in the operands' order.
  std::vector<EagerTensor> finish();

private:
  struct Staged {
    core::CustomRole role;
    StagedFunction function;
    std::vector<std::optional<core::RuleConstant>> numbers; ///< per capture: embedded, or an operand
    std::vector<size_t> captures;                           ///< per capture: its place among the operands' captures
  };
  void classify(Staged &staged);
  /// What `role` returned must be of the types that its role gives.
  void checkResults(core::CustomRole role, const core::Graph &graph) const;
  [[noreturn]] void fail(Failure failure) const;
  std::shared_ptr<const core::RuleFunction> laidOut(Staged &staged) const;

  core::CustomFunction &function_;
  const bool embedsNumbers_;
  const std::source_location *const where_;
  std::vector<Staged> staged_;
  std::vector<EagerTensor> captures_;
};

/// What the bodies of a function's rules read.
struct CustomReads {
  std::vector<bool> operands, results;
};
CustomReads readsOf(const core::CustomFunction &function);

/// A user's function for inputs of these types, with the tensors its callables captured. Equal functions are one object
/// while somebody holds it. Raises what the callables throw, and errors that name function and rule.
struct CustomCallee {
  std::shared_ptr<const core::CustomFunction> function;
  std::vector<EagerTensor> captures;
};
CustomCallee assembleFunction(EagerRuntime &runtime, ExecutionEngine &engine, const CustomDefinition &definition,
                              const std::vector<core::ValueType> &inputs, const std::source_location &where);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_CUSTOM_CUSTOMRULES_H
