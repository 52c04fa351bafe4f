// One object per thread that ends before the user's last destructors do.
#ifndef TENFERRO_EAGER_THREADOWNED_H
#define TENFERRO_EAGER_THREADOWNED_H

#include <utility>

namespace tenferro::eager {

/// One T per thread, made on first use and destroyed when the thread ends. Destructors of the user's thread-local and
/// static objects may run later and compute: they get none.
template <typename T> class ThreadOwned {
public:
  /// Null once the thread's object is gone.
  static T *get() {
    if (!object_ && !gone_) [[unlikely]]
      make();
    return object_;
  }

private:
  [[gnu::noinline, gnu::cold]] static void make() {
    object_ = new T;
    thread_local Owner owner;
    (void)owner;
  }
  struct Owner {
    ~Owner() {
      gone_ = true;
      delete std::exchange(object_, nullptr);
    }
  };
  // At a fixed distance from the thread pointer: there are a few of them, of a few bytes.
  static inline constinit thread_local T *object_ __attribute__((tls_model("initial-exec"))) = nullptr;
  static inline constinit thread_local bool gone_ __attribute__((tls_model("initial-exec"))) = false;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_THREADOWNED_H
