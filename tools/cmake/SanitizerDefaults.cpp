// What the sanitizers are told by default, linked into every program of a sanitizer build; the environment adds to it.
#include <unistd.h>

/// LLVM's headers poison the memory of their allocators in code of ours; Debian's dylibs, built without a sanitizer, take
/// memory from the same allocators and unpoison nothing.
extern "C" __attribute__((visibility("default"), used)) const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

extern "C" __attribute__((visibility("default"), used)) const char *__ubsan_default_options() {
  return "print_stacktrace=1";
}

/// What only the dylibs touch is ordered by atomics that ThreadSanitizer does not see. Forked children may start threads: that is
/// tested, and would end them.
extern "C" __attribute__((visibility("default"), used)) const char *__tsan_default_options() {
  return "ignore_noninstrumented_modules=1:die_after_fork=0";
}

/// A forked child has what threads of its parent own, and not the threads: only the process that was started is searched for leaks.
static const pid_t startedProcess = getpid();
extern "C" __attribute__((visibility("default"), used)) int __lsan_is_turned_off() { return getpid() != startedProcess; }
