// Elements as text, for messages.
#ifndef TENFERRO_EAGER_SURFACE_PRINT_H
#define TENFERRO_EAGER_SURFACE_PRINT_H

#include "tenferro/DType.h"

#include <string>

namespace tenferro::eager {

/// The element at `address`, as the shortest decimal that reads back as the same value: "-1", "nan", "1-2i", "true".
void appendElement(std::string &out, DType dtype, const char *address);

/// A number as the shortest decimal that reads back as the same value.
std::string shortest(double number);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_SURFACE_PRINT_H
