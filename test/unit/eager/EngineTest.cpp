// Engines: kinds that a runtime has met, threads, and the cores workers run on.
#include "test/unit/eager/TestSupport.h"

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <set>

namespace tenferro::test {

static std::vector<int> allowedCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

/// The core lists of this process's threads, as the system prints them.
static std::multiset<std::string> coreLists() {
  std::multiset<std::string> lists;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("Cpus_allowed_list:\t", 0) == 0)
        lists.insert(line.substr(line.find('\t') + 1));
  }
  return lists;
}

TEST(EngineTest, KindsAreRegisteredOnFirstUse) {
  auto runtime = EagerRuntime::create();
  EagerTensor x = runtime->variable(vector({1, 2}));
  EXPECT_TRUE(runtime->engineKinds().empty());
  {
    CpuEngine engine;
    runtime->session(engine, [&](EagerSession &s) { s.neg(x); });
  }
  EXPECT_EQ(runtime->engineKinds(), std::vector{EngineKind::Cpu});
  CpuEngine other;
  runtime->synchronize(other);
  EXPECT_EQ(runtime->engineKinds(), std::vector{EngineKind::Cpu});
  // A derivative or a compiled call is a first use, too.
  auto second = EagerRuntime::create();
  EagerTensor y = second->variable(vector({3}));
  EXPECT_EQ(valuesOf(second->grad(other, y, y)), (Values{1}));
  EXPECT_EQ(second->engineKinds().size(), 1u);
}

TEST(EngineTest, CoresAreChecked) {
  const std::vector<int> cores = allowedCores();
  ASSERT_FALSE(cores.empty());
  EXPECT_EQ(CpuEngine::hardwareThreads(), static_cast<int>(cores.size()));
  auto refused = [](std::vector<int> list) {
    return failureFrom<ValidationError>([&] { CpuEngine({.threads = 2, .cores = list}); });
  };
  EXPECT_EQ(refused({-1}).argument, "cores");
  EXPECT_NE(refused({1 << 20}).message.find("expects cores that this thread may use, but got 1048576"),
            std::string::npos);
  EXPECT_NE(refused({cores[0], cores[0]}).message.find("twice"), std::string::npos);
  EXPECT_EQ(failureFrom<ValidationError>([] { CpuEngine({.threads = 0}); }).argument, "threads");
  CpuEngine engine({.threads = 2, .cores = {cores[0]}});
  EXPECT_EQ(engine.cores(), std::vector{cores[0]});
  EXPECT_TRUE(CpuEngine().cores().empty());
}

TEST(EngineTest, WorkersRunOnTheCoresOfTheEngine) {
  const std::vector<int> cores = allowedCores();
  auto runtime = EagerRuntime::create();
  EagerTensor x = runtime->constant(Tensor::full<double>({1 << 21}, 0.5));
  auto sum = [&](CpuEngine &engine) {
    return runtime->session(engine, [&](EagerSession &s) { return s.sum(s.exp(x)).item<double>(); });
  };
  CpuEngine alone;
  const double expected = sum(alone);
  const std::string only = std::to_string(cores.back());
  CpuEngine placed({.threads = 2, .cores = {cores.back()}}), anywhere({.threads = 2});
  // A worker moves when it joins in, which the caller may be too quick for.
  bool moved = false;
  for (int i = 0; i < 1000 && !moved; ++i) {
    ASSERT_EQ(sum(placed), expected);
    moved = coreLists().count(only) >= 1;
  }
  EXPECT_TRUE(moved);
  if (cores.size() > 1) {
    bool back = false;
    for (int i = 0; i < 1000 && !back; ++i) {
      ASSERT_EQ(sum(anywhere), expected);
      back = coreLists().count(only) == 0;
    }
    EXPECT_TRUE(back);
  }
}

} // namespace tenferro::test
