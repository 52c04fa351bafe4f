// The operations of the oracle files on the public interface, by name.
#ifndef TENFERRO_TOOLS_CASES_OPERATIONS_H
#define TENFERRO_TOOLS_CASES_OPERATIONS_H

#include "tools/tenferro-cases/Case.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tenferro::cases {

/// What an operation gives: one tensor, or several.
struct Results : std::vector<EagerTensor> {
  Results(EagerTensor only) : std::vector<EagerTensor>{std::move(only)} {}
  Results(std::vector<EagerTensor> all) : std::vector<EagerTensor>(std::move(all)) {}
};

/// Applies an operation to its inputs; attributes are those of the line.
using Operation = std::function<Results(EagerSession &, const Json &attributes, std::span<const EagerTensor>)>;

/// Errors: UnsupportedError naming the operation (or the program).
const Operation &findOperation(const std::string &op);
const Operation &findProgram(const std::string &name);

/// Runs the `steps` of a program that the line spells out, `inputs` naming its inputs and `results` what it gives. Errors:
/// FormatError for names and steps that do not fit, UnsupportedError naming an operation, and those of the operations.
Results runSteps(EagerSession &session, const Json &attributes, std::span<const EagerTensor> in);

} // namespace tenferro::cases

#endif // TENFERRO_TOOLS_CASES_OPERATIONS_H
