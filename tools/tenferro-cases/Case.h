// One line of an oracle file: a call with its inputs, results and derivatives.
#ifndef TENFERRO_TOOLS_CASES_CASE_H
#define TENFERRO_TOOLS_CASES_CASE_H

#include "tenferro/tenferro.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenferro::cases {

using Json = nlohmann::json;

/// The line is not in the format.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the file asks for is not in the library: an operation or a dtype, by name.
struct UnsupportedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One entry per input or output; none where it carries no derivative.
using OptionalTensors = std::vector<std::optional<Tensor>>;

struct Case {
  std::string id, op, note;
  Json attributes;
  std::vector<Tensor> inputs, outputs;
  bool hasDerivatives = false; ///< then an entry per input or output, as the format says; hvp may be empty
  OptionalTensors cotangents, vjp, tangents, jvp, hvp;
  double rtol = 0, atol = 0;
  std::string raises;                  ///< an error case: the kind of the error
  std::optional<double> maxUlp;        ///< an accuracy case: the error in units in the last place
  std::optional<double> accuracyFloor; ///< or, where given, this absolute error
};

/// Errors: FormatError, also where the derivatives do not fit the inputs and outputs; UnsupportedError for a dtype
/// without tensors.
Case parseCase(const Json &line);

/// The dtype of that name. Errors: as a wrong argument of the user's, InvalidArgument.
DType parseDTypeName(const std::string &op, const std::string &text);

/// A typed error for a call that the C++ interface cannot even spell.
[[noreturn]] void raiseInvalid(const std::string &op, const std::string &argument, const std::string &message);

} // namespace tenferro::cases

#endif // TENFERRO_TOOLS_CASES_CASE_H
