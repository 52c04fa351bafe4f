// What the fuzzer has found and where it starts, without the fuzzer.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

TEST(ProgramFileFuzz, Corpus) {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(TENFERRO_FUZZ_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(file), {});
    SCOPED_TRACE(entry.path().string());
    auto *bytes = reinterpret_cast<const uint8_t *>(content.data());
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes, content.size()), 0);
    for (size_t size = 0; size < content.size(); size += 1 + content.size() / 50)
      LLVMFuzzerTestOneInput(bytes, size);
    ++count;
  }
  EXPECT_GE(count, 10u);
}
