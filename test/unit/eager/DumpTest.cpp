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

} // namespace tenferro::test
