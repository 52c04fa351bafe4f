// Finding the note of type NT_GNU_BUILD_ID among the notes of an ELF object.
#include "runtime/cache/BuildId.h"

#include "runtime/cache/DiskFolder.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tenferro::runtime {

namespace {

std::string hexOf(std::span<const uint8_t> bytes) {
  std::string digits;
  for (uint8_t byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

/// In the bytes of a segment of notes.
std::string buildIdIn(std::span<const uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const size_t nameBytes = (size_t{note.n_namesz} + 3) & ~size_t{3}, bytes = (size_t{note.n_descsz} + 3) & ~size_t{3};
    if (nameBytes > notes.size() || bytes > notes.size() - nameBytes)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0)
      return hexOf(notes.subspan(nameBytes, note.n_descsz));
    notes = notes.subspan(nameBytes + bytes);
  }
  return {};
}

struct Search {
  uintptr_t address;
  std::string found;
};

int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  std::span<const ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  bool isInside = false;
  for (const ElfW(Phdr) &segment : segments)
    isInside |= segment.p_type == PT_LOAD && search.address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  if (!isInside)
    return 0;
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_NOTE && search.found.empty())
      search.found =
          buildIdIn({reinterpret_cast<const uint8_t *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz});
  return 1;
}

bool readAt(int file, uint64_t offset, void *data, size_t size) {
  return pread(file, data, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

} // namespace

std::string buildIdAt(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visitObject, &search);
  return search.found;
}

std::string buildIdOf(const std::string &path) {
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.number(), &status) != 0)
    return {};
  ElfW(Ehdr) header;
  if (readAt(file.number(), 0, &header, sizeof header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_phentsize == sizeof(ElfW(Phdr)))
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      ElfW(Phdr) segment;
      if (!readAt(file.number(), header.e_phoff + i * sizeof segment, &segment, sizeof segment))
        break;
      constexpr size_t kMostNotes = 1 << 16;
      if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes)
        continue;
      std::vector<uint8_t> notes(segment.p_filesz);
      if (!readAt(file.number(), segment.p_offset, notes.data(), notes.size()))
        continue;
      if (std::string found = buildIdIn(notes); !found.empty())
        return found;
    }
  return std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "-" +
         std::to_string(status.st_mtim.tv_nsec);
}

} // namespace tenferro::runtime
