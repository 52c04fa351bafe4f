// Starts children and reads what they print.
#include "test/unit/eager/DiskProcesses.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tenferro::test {

void Disk::SetUp() {
  const char *base = std::getenv("TMPDIR");
  root_ = std::string(base && *base ? base : "/tmp") + "/tenferro-disk.XXXXXX";
  ASSERT_NE(mkdtemp(root_.data()), nullptr);
}
void Disk::TearDown() { fs::remove_all(root_); }

std::vector<std::string> Disk::entries() const {
  std::vector<std::string> found;
  for (const auto &file : fs::recursive_directory_iterator(directory()))
    if (file.is_regular_file())
      found.push_back(file.path());
  return found;
}

long long Answer::operator[](const std::string &name) const {
  auto found = numbers.find(name);
  return found == numbers.end() ? -1 : found->second;
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void overwrite(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

size_t lineCount(const std::string &text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

Answer child(const std::string &directory, const std::string &words, const std::string &before) {
  static std::atomic<int> number{0};
  const std::string errors =
      fs::temp_directory_path() / ("tenferro-child-" + std::to_string(getpid()) + "-" + std::to_string(++number));
  const std::string command =
      before + " timeout 300 '" TENFERRO_TEST_CHILD "' '" + directory + "' " + words + " 2>'" + errors + "'";
  Answer answer;
  FILE *pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, count);
  int status = pclose(pipe);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  answer.errors = contentOf(errors);
  fs::remove(errors);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t space = line.find(' ');
    std::string name = line.substr(0, space);
    if (name == "bits")
      answer.bits += line + "\n";
    else if (space != std::string::npos && line.find_first_not_of("0123456789", space + 1) == std::string::npos)
      answer.numbers[name] = std::atoll(line.c_str() + space + 1);
    else
      answer.rest += line + "\n";
  }
  EXPECT_EQ(answer.status, 0) << command << "\n" << answer.errors;
  return answer;
}

} // namespace tenferro::test
