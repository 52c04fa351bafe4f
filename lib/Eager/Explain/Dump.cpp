// TENFERRO_DUMP and the dump option of a runtime.
#include "lib/Eager/Explain/Dump.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tenferro::eager {

namespace {

/// In the order of compiler::Stage and DumpStage.
constexpr std::array<std::string_view, 8> kStageNames = {"trace",      "frozen", "linearized", "transposed",
                                                         "fused",      "lowered", "llvm",      "asm"};
static_assert(static_cast<int>(compiler::Stage::Asm) == static_cast<int>(DumpStage::Asm) &&
              static_cast<size_t>(DumpStage::Asm) + 1 == kStageNames.size());

/// A bit per stage of a comma-separated list.
uint32_t parseStages(std::string_view list) {
  uint32_t stages = 0;
  while (!list.empty()) {
    size_t end = list.find(',');
    std::string_view word = list.substr(0, end);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
    if (word.empty())
      continue;
    if (word == "all") {
      stages |= (1u << kStageNames.size()) - 1;
      continue;
    }
    size_t stage = 0;
    while (stage < kStageNames.size() && kStageNames[stage] != word)
      ++stage;
    if (stage == kStageNames.size()) {
      Failure failure;
      failure.kind = ErrorKind::InvalidArgument;
      failure.op = "EagerRuntime::create";
      failure.argument = "TENFERRO_DUMP";
      failure.message = "expects TENFERRO_DUMP to name stages among all, trace, frozen, linearized, transposed, fused, lowered, llvm, asm, but got '" +
                        std::string(word) + "'";
      raise(std::move(failure));
    }
    stages |= 1u << stage;
  }
  return stages;
}

} // namespace

DumpFunction DumpRelay::function() {
  if (!dump_)
    return nullptr;
  return [this](compiler::Stage stage, std::string_view text) {
    if (error_)
      return;
    try {
      dump_(stage, text);
    } catch (...) {
      error_ = std::current_exception();
    }
  };
}

void DumpRelay::rethrow() const {
  if (error_)
    std::rethrow_exception(error_);
}

void DumpGate::call(compiler::Stage stage, std::string_view text) noexcept {
  std::lock_guard lock(mutex_);
  if (!dump_ || error_)
    return;
  try {
    DumpFunction dump = dump_; // stays while it runs
    dump(stage, text);
  } catch (...) {
    error_ = std::current_exception();
  }
}

void DumpGate::close() noexcept {
  std::lock_guard lock(mutex_);
  dump_ = nullptr;
  error_ = nullptr;
}

void DumpGate::rethrow() {
  std::exception_ptr error;
  {
    std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
  }
  if (error)
    std::rethrow_exception(error);
}

DumpFunction dumpFunction(const RuntimeOptions &options) {
  if (options.dump)
    return [dump = options.dump](compiler::Stage stage, std::string_view text) {
      dump(static_cast<DumpStage>(stage), text);
    };
  const char *list = std::getenv("TENFERRO_DUMP");
  uint32_t stages = list ? parseStages(list) : 0;
  if (!stages)
    return nullptr;
  return [stages](compiler::Stage stage, std::string_view text) {
    if (!(stages >> static_cast<int>(stage) & 1))
      return;
    std::string_view name = kStageNames[static_cast<size_t>(stage)];
    std::fprintf(stderr, "// ---- tenferro: %.*s ----\n%.*s%s", static_cast<int>(name.size()), name.data(),
                 static_cast<int>(text.size()), text.data(), text.ends_with('\n') ? "" : "\n");
    std::fflush(stderr);
  };
}

} // namespace tenferro::eager
