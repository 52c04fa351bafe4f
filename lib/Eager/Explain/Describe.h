// What a record is called in messages and explanations.
#ifndef TENFERRO_EAGER_EXPLAIN_DESCRIBE_H
#define TENFERRO_EAGER_EXPLAIN_DESCRIBE_H

#include "lib/Eager/Trace/Record.h"

#include <string>
#include <string_view>

namespace tenferro::eager {

/// "f64[3]".
std::string typeText(const core::ValueType &type);

/// "variable", "constant", "placeholder", the operation of a result ("tanh"), or the function or family with rules that
/// made it.
std::string_view wordFor(const Record &record);

/// "the constant f64[3] of fit.cpp:12", "the result f64[] of tanh at fit.cpp:14".
std::string describe(const Record &record);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXPLAIN_DESCRIBE_H
