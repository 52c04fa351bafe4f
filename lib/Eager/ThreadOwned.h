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
    if (!object_ && !gone_) {
      object_ = new T;
      thread_local Owner owner;
      (void)owner;
    }
    return object_;
  }

private:
  struct Owner {
    ~Owner() {
      gone_ = true;
      delete std::exchange(object_, nullptr);
    }
  };
  static inline constinit thread_local T *object_ = nullptr;
  static inline constinit thread_local bool gone_ = false;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_THREADOWNED_H
