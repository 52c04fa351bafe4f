// Reading the process's own numbers, and running it again.
#include "test/unit/eager/TestSupport.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace tenferro::test {

std::string outputOfTest(const std::string &environment, const std::string &test) {
  std::array<char, 4096> path{};
  EXPECT_GT(readlink("/proc/self/exe", path.data(), path.size() - 1), 0);
  std::string command = environment + " '" + path.data() + "' --gtest_filter=" + test + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) {
    ADD_FAILURE() << "cannot run " << command;
    return {};
  }
  std::string output;
  std::array<char, 512> chunk;
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe))
    output.append(chunk.data(), count);
  EXPECT_EQ(pclose(pipe), 0) << output;
  return output;
}

size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace tenferro::test
