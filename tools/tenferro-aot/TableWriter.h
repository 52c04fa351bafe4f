// Writes the table of precompiled kernels as C++.
#ifndef TENFERRO_TOOLS_AOT_TABLEWRITER_H
#define TENFERRO_TOOLS_AOT_TABLEWRITER_H

#include "tools/tenferro-aot/KernelList.h"

#include <array>
#include <string>
#include <vector>

namespace tenferro::aot {

/// A kernel of one level as the table names it.
struct TableEntry {
  const KernelSpec *spec = nullptr;
  std::array<std::string, 8> symbols; ///< empty: no such variant
  int columns = 0, rows = 0;
  unsigned weight = 0;
};

/// The text of a translation unit that defines `runtime::tier0Kernels`.
std::string writeTable(const std::vector<TableEntry> &v3, const std::vector<TableEntry> &v4);

} // namespace tenferro::aot

#endif // TENFERRO_TOOLS_AOT_TABLEWRITER_H
