// Tables of the whole process, whose locks a forked child finds free.
#ifndef TENFERRO_EAGER_FORKLOCKS_H
#define TENFERRO_EAGER_FORKLOCKS_H

#include <pthread.h>

namespace tenferro::eager {

/// The process's T, never destroyed, as any thread may outlive it. Forks wait for `T::lock`; who holds that takes no
/// other lock.
template <typename T> T &processWide() {
  static T *table = [] {
    auto *made = new T;
    pthread_atfork([] { processWide<T>().lock.lock(); }, [] { processWide<T>().lock.unlock(); },
                   [] { processWide<T>().lock.unlock(); });
    return made;
  }();
  return *table;
}

/// Makes the tables of extension modules and of custom functions. A fork takes locks in the reverse order of their
/// registration: these come before the compiler's, as a compile may need them.
void registerModuleTable();
void registerFunctionTable();

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_FORKLOCKS_H
