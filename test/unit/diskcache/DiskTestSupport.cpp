// Folders, children, artifacts.
#include "DiskTestSupport.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace tenferro::runtime::test {

CompiledArtifact fullArtifact() {
  CompiledArtifact artifact;
  Program &program = artifact.program;
  ProgramValue viewed;
  viewed.type = {DType::F32, {3, 5}};
  viewed.storage = StorageKind::View;
  viewed.index = 7;
  viewed.offset = 24;
  viewed.view = View{true, {1, -1}, {2, 0}, {-1, 1}, {-1, 0}};
  program.values = {viewed, ProgramValue{{DType::I64, {4}}, StorageKind::Index, 0, 0, {}}};
  Launch launch;
  launch.kind = LaunchKind::Gather;
  launch.kernel = "add.f64";
  launch.function = 3;
  launch.operands = {0, 1};
  launch.outputs = 2;
  launch.access = {Access::Unit, Access::Scalar};
  launch.axes = {1};
  launch.low = {-2};
  launch.interior = {4};
  launch.dot = DotDimensions{{0}, {1}, {2}, {3}};
  launch.windows = WindowDimensions{{0}, {1}, {2}, 3, {4}, IndexMode::Fill, ScatterUpdate::Max, true};
  launch.reverse = true;
  launch.combine = {"sum.f64", "max.f32"};
  launch.rowOnly = true;
  launch.weight = 77;
  launch.opNumbers = {11, 12};
  program.launches = {launch, Launch()};
  program.origins = {{5, 6, "log: cotangent of operand 0"}, {}};
  program.arguments = {{DType::Complex64, {2, 0}}};
  program.argumentUsed = {true, false};
  program.argumentContiguous = {false, true};
  program.results = {1};
  program.arenaBytes = 4096;
  program.constants = {1, 2, 3};
  program.callbacks = {{"family.of/me", 9, {1, 2}}};
  artifact.active = {true, false, true};
  artifact.object = {0x7f, 'E', 'L', 'F'};
  artifact.functions = {"k0_add", ""};
  return artifact;
}

CompiledArtifact artifactOf(uint64_t seed, size_t bytes) {
  CompiledArtifact artifact = fullArtifact();
  std::mt19937_64 random(seed);
  artifact.program.constants.resize(8);
  for (uint8_t &byte : artifact.program.constants)
    byte = static_cast<uint8_t>(random());
  artifact.object.resize(bytes);
  for (uint8_t &byte : artifact.object)
    byte = static_cast<uint8_t>(random());
  return artifact;
}

bool isSame(const CompiledArtifact &a, const CompiledArtifact &b) {
  return a.object == b.object && a.program.constants == b.program.constants;
}

TemporaryFolder::TemporaryFolder() {
  const char *base = std::getenv("TMPDIR");
  path_ = std::string(base && *base ? base : "/tmp") + "/tenferro-disk.XXXXXX";
  if (!mkdtemp(path_.data()))
    ADD_FAILURE() << "no temporary folder at " << path_;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(path_, ignored);
}

void put(DiskCache &cache, const std::string &key, const CompiledArtifact &artifact) {
  cache.find(key, kNoPatience).store(artifact);
}

static std::string onlyOne(const std::string &directory, bool folder) {
  std::string found;
  for (const auto &entry : std::filesystem::directory_iterator(directory)) {
    EXPECT_EQ(entry.is_directory(), folder) << entry.path();
    EXPECT_TRUE(found.empty()) << found << " and " << entry.path();
    found = entry.path();
  }
  EXPECT_FALSE(found.empty()) << "nothing in " << directory;
  return found;
}
std::string subfolderOf(const std::string &directory) { return onlyOne(directory, true); }
std::string entryOf(const std::string &directory) { return onlyOne(subfolderOf(directory), false); }

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
void overwrite(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

Child inChild(const std::function<int()> &body, int seconds) {
  int ends[2];
  Child child;
  if (pipe(ends) != 0)
    return child;
  pid_t pid = fork();
  if (pid == 0) {
    alarm(static_cast<unsigned>(seconds));
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(body());
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR);)
    if (count > 0)
      child.errors.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  child.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return child;
}

size_t lineCount(const std::string &text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

} // namespace tenferro::runtime::test
