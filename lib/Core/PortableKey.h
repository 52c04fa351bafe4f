// A structure key that means the same in every process.
#ifndef TENFERRO_CORE_PORTABLEKEY_H
#define TENFERRO_CORE_PORTABLEKEY_H

#include "lib/Core/Graph.h"
#include "tenferro/Export.h"

#include <string>

namespace tenferro::core {

/// `structureKey` without the versions of extension families, which are numbers of the process. What a family brings to a
/// program is in the text: its rules, the types of its results, its parameters. Its kernels are not in the program.
TENFERRO_EXPORT std::string portableKey(const Graph &graph, const Transform &transform);

} // namespace tenferro::core

#endif // TENFERRO_CORE_PORTABLEKEY_H
