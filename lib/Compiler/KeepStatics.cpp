// Static objects of the compiler, and of the MLIR and LLVM it uses, are never destroyed: a thread may compile while the
// process ends, and exit runs the destructors of what that thread has just made before anything that could wait for it.
#include "mlir/IR/AsmState.h"
#include "llvm/Support/ManagedStatic.h"

#include <cstring>

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

/// The linker gives every call of __cxa_atexit in this library to this function.
extern "C" int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }

#ifndef TENFERRO_STATIC_LLVM
namespace {

/// A loaded library whose calls of __cxa_atexit go there too. It is bound when this one is loaded, so what its own
/// loading has made goes at exit as ever; what it makes later, while it compiles, stays.
class LoadedLibrary {
public:
  /// Of the library that holds `address`, when `found`.
  static void keepStatics(const void *address) {
    LoadedLibrary library{reinterpret_cast<uintptr_t>(address)};
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *data) { return static_cast<LoadedLibrary *>(data)->visit(*info); },
        &library);
  }

private:
  explicit LoadedLibrary(uintptr_t address) : address_(address) {}

  /// Not 0 once it was the one.
  int visit(const dl_phdr_info &info) {
    bool isOurs = false;
    const ElfW(Dyn) *entries = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr) &header = info.dlpi_phdr[i];
      const uintptr_t start = info.dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_LOAD)
        isOurs |= start <= address_ && address_ < start + header.p_memsz;
      else if (header.p_type == PT_DYNAMIC)
        entries = reinterpret_cast<const ElfW(Dyn) *>(start);
      else if (header.p_type == PT_GNU_RELRO) {
        readOnly_ = start;
        readOnlyEnd_ = start + header.p_memsz;
      }
    }
    if (!isOurs)
      return 0;
    base_ = info.dlpi_addr;
    for (const ElfW(Dyn) *entry = entries; entry && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag >= 0 && entry->d_tag < DT_NUM)
        values_[entry->d_tag] = entry->d_un.d_val;
    rebind(DT_JMPREL, values_[DT_PLTRELSZ]);
    rebind(DT_RELA, values_[DT_RELASZ]);
    return 1;
  }

  /// The loader has made addresses of these.
  template <typename T> const T *table(int tag) const { return reinterpret_cast<const T *>(values_[tag]); }

  void rebind(int tag, size_t bytes) const {
    const auto *first = table<ElfW(Rela)>(tag), *last = first + bytes / sizeof *first;
    for (; first && first != last; ++first) {
      const auto kind = ELF64_R_TYPE(first->r_info);
      if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT)
        continue;
      const ElfW(Sym) &symbol = table<ElfW(Sym)>(DT_SYMTAB)[ELF64_R_SYM(first->r_info)];
      if (std::strcmp(table<char>(DT_STRTAB) + symbol.st_name, "__cxa_atexit") == 0)
        write(base_ + first->r_offset);
    }
  }

  void write(uintptr_t slot) const {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    auto *start = reinterpret_cast<void *>(slot & ~(page - 1));
    const bool isProtected = readOnly_ <= slot && slot < readOnlyEnd_;
    if (isProtected && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
      return;
    __atomic_store_n(reinterpret_cast<uintptr_t *>(slot), reinterpret_cast<uintptr_t>(&__wrap___cxa_atexit),
                     __ATOMIC_RELEASE);
    if (isProtected)
      mprotect(start, page, PROT_READ);
  }

  uintptr_t address_, base_ = 0, readOnly_ = 0, readOnlyEnd_ = 0;
  uintptr_t values_[DT_NUM] = {};
};

/// Runs when the library is loaded, before anybody compiles.
[[maybe_unused]] const bool kept = [] {
  LoadedLibrary::keepStatics(reinterpret_cast<const void *>(&llvm::llvm_shutdown));
  LoadedLibrary::keepStatics(reinterpret_cast<const void *>(&mlir::registerAsmPrinterCLOptions));
  return true;
}();

} // namespace
#endif
