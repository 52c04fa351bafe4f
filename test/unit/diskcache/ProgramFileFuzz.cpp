// Fuzz target: any bytes as a kept program. What is read is written again byte for byte, and what does not fit together
// is not loaded; nothing is run.
//
// An input is a whole file of the cache, or what stands behind the key in one. Its checksum is made again, as one that
// is wrong ends everything.
#include "runtime/cache/ProgramFile.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/program/Executor.h"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace tenferro;
using namespace tenferro::runtime;

namespace {

constexpr std::string_view kKey = "key";

/// The bytes between key and checksum of a whole file; others as they are.
std::span<const uint8_t> payloadOf(std::span<const uint8_t> input) {
  uint64_t keyBytes = 0;
  if (input.size() < kProgramFileHeaderBytes + kProgramFileChecksumBytes ||
      std::memcmp(input.data(), "tenferro", 8) != 0)
    return input;
  std::memcpy(&keyBytes, input.data() + kProgramFileKeyBytesAt, sizeof keyBytes);
  std::span<const uint8_t> content =
      input.subspan(kProgramFileHeaderBytes, input.size() - kProgramFileHeaderBytes - kProgramFileChecksumBytes);
  return content.subspan(std::min<uint64_t>(keyBytes, content.size()));
}

struct NoKernel final : Callback {
  void run(const CallbackCaller &, const IntList &, std::span<const TensorView>,
           std::span<const TensorView>) const override {}
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> input(data, size);
  if (readProgramFile(input, kKey))
    std::abort(); // no file in a corpus is of this key
  const std::vector<uint8_t> file = makeProgramFile(kKey, payloadOf(input));
  core::Expected<CompiledArtifact> artifact = readProgramFile(file, kKey);
  if (!artifact)
    return 0;
  if (writeProgramFile(kKey, *artifact) != file)
    std::abort();
  static const auto noKernel = std::make_shared<const NoKernel>();
  auto loaded = LoadedProgram::load(
      std::move(*artifact), KernelTable::forLevel(CpuLevel::V3),
      [](const CallbackName &) -> core::Expected<std::shared_ptr<const Callback>> { return {noKernel}; });
  return loaded && (*loaded)->retainedBytes() == 0 ? 1 : 0;
}
