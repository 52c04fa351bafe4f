// Arrays that end where a page that cannot be touched begins: reading or writing past the end stops the test.
#ifndef TENFERRO_TEST_UNIT_CODEGEN_GUARDEDARRAY_H
#define TENFERRO_TEST_UNIT_CODEGEN_GUARDEDARRAY_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace tenferro::test {

template <typename T> class GuardedArray {
public:
  explicit GuardedArray(size_t size) : size_(size) {
    constexpr size_t page = 4096;
    size_t bytes = (size * sizeof(T) + page - 1) / page * page;
    length_ = bytes + page;
    base_ = static_cast<uint8_t *>(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + bytes, page, PROT_NONE) != 0) {
      std::perror("mmap");
      std::exit(1);
    }
    data_ = reinterpret_cast<T *>(base_ + bytes - size * sizeof(T));
  }
  ~GuardedArray() { munmap(base_, length_); }
  GuardedArray(const GuardedArray &) = delete;
  GuardedArray &operator=(const GuardedArray &) = delete;

  T *data() { return data_; }
  size_t size() const { return size_; }
  T &operator[](size_t i) { return data_[i]; }

private:
  size_t size_, length_;
  uint8_t *base_;
  T *data_;
};

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CODEGEN_GUARDEDARRAY_H
