// Reading the process's own numbers.
#include "test/unit/eager/TestSupport.h"

#include <fstream>
#include <unistd.h>

namespace tenferro::test {

size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace tenferro::test
