// perf's map file and gdb's list of objects.
#include "runtime/program/CodeNames.h"

#include "runtime/core/Log.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <unistd.h>

// The debugger's side of this interface is fixed: it reads these names and layouts, and stops at the function.
// (gdb manual, "JIT Compilation Interface".)
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
[[gnu::used]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
[[gnu::used, gnu::noinline]] void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace tenferro::runtime {

namespace {

/// Never destroyed: code in static variables goes after it would.
std::mutex &listMutex() {
  static std::mutex *mutex = new std::mutex;
  return *mutex;
}

enum Action : uint32_t { Register = 1, Unregister = 2 };

void tellGdb(jit_code_entry &entry, Action action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = 0;
}

class GdbObject final : public CodeNames {
public:
  explicit GdbObject(std::vector<uint8_t> object) : object_(std::move(object)) {
    entry_.symfile_addr = reinterpret_cast<const char *>(object_.data());
    entry_.symfile_size = object_.size();
    std::lock_guard lock(listMutex());
    entry_.next_entry = __jit_debug_descriptor.first_entry;
    if (entry_.next_entry)
      entry_.next_entry->prev_entry = &entry_;
    __jit_debug_descriptor.first_entry = &entry_;
    tellGdb(entry_, Register);
  }
  ~GdbObject() override {
    std::lock_guard lock(listMutex());
    (entry_.prev_entry ? entry_.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = entry_.next_entry;
    if (entry_.next_entry)
      entry_.next_entry->prev_entry = entry_.prev_entry;
    tellGdb(entry_, Unregister);
  }

private:
  std::vector<uint8_t> object_;
  jit_code_entry entry_{};
};

/// One write per object, so that lines of several threads and of a forked child (another file) do not mix.
void tellPerf(const std::vector<NamedCode> &functions) {
  std::string lines;
  for (const NamedCode &function : functions) {
    char numbers[64];
    std::snprintf(numbers, sizeof(numbers), "%" PRIx64 " %" PRIx64 " ", function.address, function.size);
    lines += numbers;
    lines += "tenferro:";
    lines += function.name;
    lines += '\n';
  }
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  // Not through a link that somebody else has put there.
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  [[maybe_unused]] ssize_t written = write(file, lines.data(), lines.size());
  close(file);
}

} // namespace

CodeListeners codeListeners() noexcept {
  static const CodeListeners listeners = [] {
    CodeListeners wanted;
    const char *variable = std::getenv("TENFERRO_JIT_NAMES");
    std::string_view rest = variable ? variable : "";
    while (!rest.empty()) {
      size_t comma = rest.find(',');
      std::string_view word = rest.substr(0, comma);
      wanted.perf |= word == "perf";
      wanted.gdb |= word == "gdb";
      if (word != "perf" && word != "gdb" && !word.empty())
        logWarning("TENFERRO_JIT_NAMES expects perf, gdb or both, but got '" + std::string(word) + "'");
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return wanted;
  }();
  return listeners;
}

std::unique_ptr<CodeNames> announceCode(CodeListeners listeners, const std::vector<NamedCode> &functions,
                                        std::vector<uint8_t> object) {
  if (listeners.perf)
    tellPerf(functions);
  return listeners.gdb ? std::make_unique<GdbObject>(std::move(object)) : nullptr;
}

} // namespace tenferro::runtime
