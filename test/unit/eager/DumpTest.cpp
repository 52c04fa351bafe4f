// Watching a compile, and the door to the compiler.
#include "test/unit/eager/TestSupport.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace tenferro::test {

TEST(DumpTest, TheOptionSeesEveryStageOnce) {
  std::vector<DumpStage> stages;
  std::string trace;
  RuntimeOptions options;
  options.policy = CompilePolicy::Immediate;
  options.dump = [&](DumpStage stage, std::string_view text) {
    EXPECT_FALSE(text.empty());
    stages.push_back(stage);
    if (stage == DumpStage::Trace)
      trace = text;
  };
  Example e(options);
  e.forward();
  e.loss.backward(e.engine);
  EXPECT_EQ(stages,
            (std::vector<DumpStage>{DumpStage::Trace, DumpStage::Frozen, DumpStage::Linearized, DumpStage::Transposed,
                                    DumpStage::Fused, DumpStage::Lowered, DumpStage::Llvm, DumpStage::Asm}));
  EXPECT_NE(trace.find("tenferro.mul"), std::string::npos) << trace;
  size_t seen = stages.size();
  e.loss.backward(e.engine);
  EXPECT_EQ(stages.size(), seen); // a hit compiles nothing
}

TEST(DumpTest, WhatTheOptionThrowsArrives) {
  RuntimeOptions options;
  options.policy = CompilePolicy::Immediate;
  int calls = 0;
  options.dump = [&](DumpStage, std::string_view) {
    ++calls;
    throw std::runtime_error("enough");
  };
  Example e(options);
  e.forward();
  EXPECT_THROW(e.loss.backward(e.engine), std::runtime_error);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(e.x.grad());
  EXPECT_EQ(e.runtime->cacheStats().preparedDerivatives.entries, 0u);
}

TEST(DumpTest, TheOptionMayNotCompile) {
  // The compiler runs one program at a time; what is prepared already answers.
  Example other, ready;
  other.forward();
  ready.forward();
  ready.loss.backward(ready.engine);
  RuntimeOptions options;
  options.policy = CompilePolicy::Immediate;
  options.dump = [&](DumpStage, std::string_view) {
    ready.loss.backward(ready.engine);
    other.loss.backward(other.engine);
  };
  Example e(options);
  e.forward();
  Failure failure = failureFrom<RuntimeError>([&] { e.loss.backward(e.engine); });
  EXPECT_EQ(failure.kind, ErrorKind::RuntimeState);
  EXPECT_EQ(failure.op, "compile");
  EXPECT_EQ(valuesOf(ready.x.grad()), (Values{40, 160, 360}));
  other.loss.backward(other.engine);
  EXPECT_EQ(valuesOf(other.x.grad()), (Values{20, 80, 180}));
}

/// Under the default policy: by the thread that compiles, once for the fused program.
TEST(DumpTest, TheBackgroundThreadShowsItsStages) {
  std::vector<DumpStage> stages;
  std::string trace;
  {
    RuntimeOptions options;
    options.dump = [&](DumpStage stage, std::string_view text) {
      stages.push_back(stage);
      if (stage == DumpStage::Trace)
        trace = text;
    };
    Example e(options);
    e.forward();
    e.loss.backward(e.engine); // the end of the runtime waits for what is watched
  }
  EXPECT_EQ(stages,
            (std::vector<DumpStage>{DumpStage::Trace, DumpStage::Frozen, DumpStage::Linearized, DumpStage::Transposed,
                                    DumpStage::Fused, DumpStage::Lowered, DumpStage::Llvm, DumpStage::Asm}));
  EXPECT_NE(trace.find("TestSupport.h:"), std::string::npos) << trace;
}

TEST(DumpTest, WhatTheOptionThrowsInTheBackgroundArrivesAtTheWait) {
  RuntimeOptions options;
  int calls = 0;
  options.dump = [&](DumpStage, std::string_view) {
    ++calls;
    throw std::runtime_error("enough");
  };
  Example e(options);
  e.forward();
  e.loss.backward(e.engine);
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{20, 80, 180}));
  EXPECT_THROW(e.runtime->finishCompiles(), std::runtime_error);
  EXPECT_EQ(calls, 1);
  e.runtime->finishCompiles(); // once
  EXPECT_EQ(e.runtime->cacheStats().compiles.done, 1u);
}

TEST(DumpTest, TheOptionMayNotWaitForItself) {
  RuntimeOptions options;
  EagerRuntime *runtime = nullptr;
  options.dump = [&](DumpStage, std::string_view) { runtime->finishCompiles(); };
  Example e(options);
  runtime = e.runtime.get();
  e.forward();
  e.loss.backward(e.engine);
  EXPECT_EQ(failureFrom<RuntimeError>([&] { e.runtime->finishCompiles(); }).kind, ErrorKind::RuntimeState);
}

/// Run by the tests below in a process of its own.
TEST(DumpChildTest, Backward) {
  if (!std::getenv("TENFERRO_TEST_CHILD"))
    return;
  try {
    Example e;
    e.forward();
    e.loss.backward(e.engine);
    std::cout << "gradient " << e.x.grad()->toVector<double>()[0] << std::endl;
  } catch (const RuntimeError &error) {
    std::cout << "RuntimeError " << name(error.kind()) << " " << error.what() << std::endl;
  } catch (const ValidationError &error) {
    std::cout << "ValidationError " << error.argument() << " " << error.what() << std::endl;
  }
}

TEST(DumpTest, TheVariablePrintsTheNamedStages) {
  std::string output = outputOfTest("TENFERRO_TEST_CHILD=1 TENFERRO_DUMP=frozen,asm", "DumpChildTest.Backward");
  EXPECT_NE(output.find("// ---- tenferro: frozen ----"), std::string::npos) << output;
  EXPECT_NE(output.find("// ---- tenferro: asm ----"), std::string::npos);
  EXPECT_EQ(output.find("// ---- tenferro: trace ----"), std::string::npos);
  EXPECT_NE(output.find("gradient 20"), std::string::npos);
}

TEST(DumpTest, TheVariableRefusesUnknownStages) {
  std::string output = outputOfTest("TENFERRO_TEST_CHILD=1 TENFERRO_DUMP=frozzen", "DumpChildTest.Backward");
  EXPECT_NE(output.find("ValidationError TENFERRO_DUMP"), std::string::npos) << output;
  EXPECT_NE(output.find("but got 'frozzen'"), std::string::npos) << output;
}

TEST(DumpTest, AMissingCompilerIsARuntimeError) {
  // A copy of the library in a folder without the compiler.
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("tenferro-test-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(TENFERRO_TEST_LIBRARY, folder / fs::path(TENFERRO_TEST_SONAME), fs::copy_options::overwrite_existing);
  std::string output =
      outputOfTest("TENFERRO_TEST_CHILD=1 LD_LIBRARY_PATH=" + folder.string(), "DumpChildTest.Backward");
  fs::remove_all(folder);
  EXPECT_NE(output.find("RuntimeError io compile: expects the compiler library " + folder.string() +
                        "/libtenferro-compiler.so"),
            std::string::npos)
      << output;
}

// The last of this file: they change its name and lines.

TEST(DumpTest, DumpsNameLinesOfFilesWithoutAFolder) {
  std::string trace;
  RuntimeOptions options;
  options.dump = [&](DumpStage stage, std::string_view text) {
    if (stage == DumpStage::Trace)
      trace = text;
  };
  CpuEngine engine({.threads = 1});
  auto runtime = EagerRuntime::create(options);
  Scope scope(runtime, engine);
  EagerTensor x = runtime->variable(vector({1, 2}));
#line 1234 "program.cpp"
  EagerTensor loss = sum(x * x);
  loss.backward(engine);
  runtime->finishCompiles();
  EXPECT_NE(trace.find("program.cpp:1234"), std::string::npos) << trace;
}

TEST(DumpTest, DumpsOfCompiledDerivativesNameTheUsersLinesAlone) {
  std::string all;
  RuntimeOptions options;
  options.dump = [&](DumpStage stage, std::string_view text) {
    if (stage < DumpStage::Lowered)
      all += text;
  };
  CpuEngine engine({.threads = 1});
  auto runtime = EagerRuntime::create(options);
  auto loss = runtime->compile([](const EagerTensor &x) {
#line 2000 "program.cpp"
    EagerTensor unused = exp(x);
    EagerTensor weight = x.detach();
    EagerTensor late = tanh(x), early = weight * x;
    return sum(early + late);
  });
  (void)loss.valueAndGrad(engine, runtime->constant(vector({1, 2})));
  runtime->finishCompiles();
  for (const char *line : {"program.cpp:2001", "program.cpp:2002", "program.cpp:2003"})
    EXPECT_NE(all.find(line), std::string::npos) << line << all;
  EXPECT_EQ(all.find("trace:"), std::string::npos) << all;
  EXPECT_EQ(all.find("EagerTensor.cpp"), std::string::npos) << all;
}

} // namespace tenferro::test
