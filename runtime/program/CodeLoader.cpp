// The loader: parse an ELF object with every offset checked, lay its sections out in a slab, relocate, find functions.
#include "runtime/program/CodeLoader.h"

#include "runtime/core/Failures.h"
#include "runtime/launch/VectorLoop.h"
#include "runtime/program/CodeNames.h"
#include "runtime/program/CodeSlabs.h"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <limits>
#include <optional>
#include <string_view>

namespace tenferro::runtime {

namespace {

std::optional<Failure> wrong(std::string message) {
  return makeFailure(ErrorKind::Internal, "load code", std::move(message));
}

struct Code final : LoadedCode {
  CodeSpace space;
  std::unique_ptr<CodeNames> names;
  Code(CodeSpace space, std::vector<void *> functions, std::unique_ptr<CodeNames> names)
      : space(std::move(space)), names(std::move(names)) {
    functions_ = std::move(functions);
    bytes_ = this->space.bytes();
  }
};

/// One load. Each step returns what is wrong, if anything.
class Loader {
public:
  explicit Loader(std::span<const uint8_t> object) : object_(object) {}

  std::optional<Failure> load(std::span<const std::string> functions, std::shared_ptr<const LoadedCode> &result) {
    if (auto failure = readHeaders())
      return failure;
    if (auto failure = layOut())
      return failure;
    for (const Elf64_Shdr &section : sections_)
      if (section.sh_type == SHT_RELA)
        if (auto failure = relocate(section))
          return failure;
    std::vector<void *> addresses;
    for (const std::string &function : functions) {
      uint64_t address = 0;
      if (auto failure = findFunction(function, address))
        return failure;
      addresses.push_back(reinterpret_cast<void *>(address));
    }
    std::unique_ptr<CodeNames> names = announce();
    result = std::make_shared<Code>(std::move(space_), std::move(addresses), std::move(names));
    return std::nullopt;
  }

private:
  static constexpr uint64_t kAbsent = std::numeric_limits<uint64_t>::max();
  static constexpr uint64_t kJumpBytes = 16;
  static constexpr size_t kMostOutside = 16; ///< more than there are, also in a damaged table

  bool inside(uint64_t offset, uint64_t size) const noexcept {
    return offset <= object_.size() && size <= object_.size() - offset;
  }
  template <typename T> T read(uint64_t offset) const noexcept { // objects need not be aligned in memory
    T value;
    std::memcpy(&value, object_.data() + offset, sizeof(T));
    return value;
  }
  /// The string at `offset` of a string table; empty if it is outside.
  std::string_view text(const Elf64_Shdr &table, uint64_t offset) const noexcept {
    if (offset >= table.sh_size)
      return {};
    auto *start = reinterpret_cast<const char *>(object_.data() + table.sh_offset + offset);
    return {start, strnlen(start, table.sh_size - offset)};
  }

  std::optional<Failure> readHeaders() {
    if (object_.size() < sizeof(Elf64_Ehdr))
      return wrong("expects an ELF object, but got " + std::to_string(object_.size()) + " bytes");
    auto header = read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL || header.e_machine != EM_X86_64)
      return wrong("expects a relocatable ELF64 object for x86-64");
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        !inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)) || header.e_shstrndx >= header.e_shnum)
      return wrong("expects a section table inside the object");
    for (uint32_t i = 0; i < header.e_shnum; ++i) {
      auto section = read<Elf64_Shdr>(header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
      if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL && !inside(section.sh_offset, section.sh_size))
        return wrong("expects sections inside the object, but section " + std::to_string(i) + " ends outside");
      sections_.push_back(section);
    }
    names_ = sections_[header.e_shstrndx];
    if (names_.sh_type != SHT_STRTAB)
      return wrong("expects a table of section names");
    for (const Elf64_Shdr &section : sections_) {
      if (section.sh_type != SHT_SYMTAB)
        continue;
      if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= sections_.size() ||
          sections_[section.sh_link].sh_type != SHT_STRTAB)
        return wrong("expects a symbol table with names");
      symbols_ = section;
      symbolNames_ = sections_[section.sh_link];
    }
    return std::nullopt;
  }

  std::string sectionName(const Elf64_Shdr &section) const { return std::string(text(names_, section.sh_name)); }

  /// Unwind tables are for exceptions, which kernels do not throw.
  bool isLoaded(const Elf64_Shdr &section) const {
    return (section.sh_flags & SHF_ALLOC) && section.sh_size > 0 && section.sh_type != SHT_X86_64_UNWIND &&
           section.sh_type != SHT_NOTE && text(names_, section.sh_name) != ".eh_frame";
  }

  std::optional<Failure> layOut() {
    uint64_t size = 0;
    addresses_.assign(sections_.size(), kAbsent);
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr &section = sections_[i];
      if (!isLoaded(section))
        continue;
      if (section.sh_flags & SHF_TLS)
        return wrong("expects no thread-local data, but got section " + sectionName(section));
      // Data that only relocation writes is constant afterwards.
      if ((section.sh_flags & SHF_WRITE) && !sectionName(section).starts_with(".data.rel.ro"))
        return wrong("expects no writable data, but got section " + sectionName(section));
      if (section.sh_type != SHT_PROGBITS)
        return wrong("expects code and constants, but got section " + sectionName(section));
      uint64_t align = section.sh_addralign ? section.sh_addralign : 1;
      if ((align & (align - 1)) != 0 || align > 4096)
        return wrong("expects an alignment of at most 4096, but section " + sectionName(section) + " has " +
                     std::to_string(align));
      size = (size + align - 1) & ~(align - 1);
      addresses_[i] = size;
      largestAlign_ = std::max(largestAlign_, align);
      size += section.sh_size;
      if (size > (uint64_t{1} << 30))
        return wrong("expects less than 1 GiB of code");
    }
    if (auto failure = findOutside())
      return failure;
    size = (size + kJumpBytes - 1) & ~(kJumpBytes - 1);
    jumps_ = size;
    size += outside_.size() * kJumpBytes;
    auto space = allocateCode(size, largestAlign_);
    if (!space)
      return std::move(space.failure());
    space_ = std::move(*space);
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (addresses_[i] == kAbsent)
        continue;
      std::memcpy(space_.writable() + addresses_[i], object_.data() + sections_[i].sh_offset, sections_[i].sh_size);
    }
    for (size_t i = 0; i < outside_.size(); ++i) {
      // jmp *0(%rip), and the address behind it: functions may be further away than calls reach.
      const uint8_t jump[6] = {0xFF, 0x25, 0, 0, 0, 0};
      uint8_t *place = space_.writable() + jumps_ + i * kJumpBytes;
      std::memcpy(place, jump, sizeof(jump));
      std::memcpy(place + sizeof(jump), &outside_[i].second, sizeof(void *));
    }
    return std::nullopt;
  }

  /// Collects the functions outside the object that its symbol table names and that code may call.
  std::optional<Failure> findOutside() {
    for (uint64_t i = 1; symbols_.sh_type == SHT_SYMTAB && i < symbols_.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol;
      if (auto failure = symbolAt(i, symbol))
        return failure;
      if (symbol.st_shndx != SHN_UNDEF || outside_.size() == kMostOutside)
        continue;
      std::string name(text(symbolNames_, symbol.st_name));
      if (const void *function = functionForCode(name.c_str()))
        outside_.push_back({name, function});
    }
    return std::nullopt;
  }

  std::optional<Failure> symbolAt(uint64_t index, Elf64_Sym &symbol) const {
    if (symbols_.sh_type != SHT_SYMTAB || index >= symbols_.sh_size / sizeof(Elf64_Sym))
      return wrong("expects symbols in the symbol table, but got number " + std::to_string(index));
    symbol = read<Elf64_Sym>(symbols_.sh_offset + index * sizeof(Elf64_Sym));
    return std::nullopt;
  }

  /// Where the symbol is in executable memory.
  std::optional<Failure> resolve(const Elf64_Sym &symbol, uint64_t &address) const {
    std::string name(text(symbolNames_, symbol.st_name));
    if (symbol.st_shndx == SHN_UNDEF) {
      for (size_t i = 0; i < outside_.size(); ++i)
        if (outside_[i].first == name) {
          address = reinterpret_cast<uint64_t>(space_.executable()) + jumps_ + i * kJumpBytes;
          return std::nullopt;
        }
      return wrong("expects code without outside references, but it needs '" + name + "'");
    }
    if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS)
      return wrong("expects no thread-local data, but got '" + name + "'");
    if (symbol.st_shndx >= sections_.size() || addresses_[symbol.st_shndx] == kAbsent)
      return wrong("expects symbols in loaded sections, but got '" + name + "'");
    if (symbol.st_value > sections_[symbol.st_shndx].sh_size)
      return wrong("expects symbols inside their sections, but got '" + name + "'");
    address = reinterpret_cast<uint64_t>(space_.executable()) + addresses_[symbol.st_shndx] + symbol.st_value;
    return std::nullopt;
  }

  std::optional<Failure> relocate(const Elf64_Shdr &table) {
    if (table.sh_info >= sections_.size() || table.sh_entsize != sizeof(Elf64_Rela))
      return wrong("expects relocations of a section of the object");
    const Elf64_Shdr &target = sections_[table.sh_info];
    if (addresses_[table.sh_info] == kAbsent)
      return std::nullopt; // of debug or unwind data
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
      auto relocation = read<Elf64_Rela>(table.sh_offset + i * sizeof(Elf64_Rela));
      uint32_t type = ELF64_R_TYPE(relocation.r_info);
      Elf64_Sym symbol;
      uint64_t address = 0;
      if (auto failure = symbolAt(ELF64_R_SYM(relocation.r_info), symbol))
        return failure;
      if (auto failure = resolve(symbol, address))
        return failure;
      uint64_t width = type == R_X86_64_64 ? 8 : 4;
      if (type != R_X86_64_PC32 && type != R_X86_64_PLT32 && type != R_X86_64_64)
        return wrong("expects relocations PC32, PLT32 or 64, but got type " + std::to_string(type) + " for '" +
                     std::string(text(symbolNames_, symbol.st_name)) + "' in section " + sectionName(target));
      if (relocation.r_offset > target.sh_size || width > target.sh_size - relocation.r_offset)
        return wrong("expects relocations inside their section, but got one outside " + sectionName(target));
      uint64_t place = addresses_[table.sh_info] + relocation.r_offset;
      uint64_t value = address + static_cast<uint64_t>(relocation.r_addend);
      if (type == R_X86_64_64) {
        std::memcpy(space_.writable() + place, &value, 8);
        continue;
      }
      auto relative = static_cast<int64_t>(value - (reinterpret_cast<uint64_t>(space_.executable()) + place));
      auto narrow = static_cast<int32_t>(relative);
      if (narrow != relative)
        return wrong("expects relative addresses of 32 bits in section " + sectionName(target));
      std::memcpy(space_.writable() + place, &narrow, 4);
    }
    return std::nullopt;
  }

  std::optional<Failure> findFunction(const std::string &name, uint64_t &address) const {
    for (uint64_t i = 0; symbols_.sh_type == SHT_SYMTAB && i < symbols_.sh_size / sizeof(Elf64_Sym); ++i) {
      auto symbol = read<Elf64_Sym>(symbols_.sh_offset + i * sizeof(Elf64_Sym));
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
          text(symbolNames_, symbol.st_name) != name)
        continue;
      if (symbol.st_shndx < sections_.size() && !(sections_[symbol.st_shndx].sh_flags & SHF_EXECINSTR))
        break;
      return resolve(symbol, address);
    }
    return wrong("expects a function '" + name + "' in the object");
  }

  /// The functions and a copy of the object with its sections' addresses, for profiler and debugger if they listen.
  std::unique_ptr<CodeNames> announce() const {
    CodeListeners listeners = codeListeners();
    if (!listeners)
      return nullptr;
    std::vector<NamedCode> functions;
    for (uint64_t i = 0; symbols_.sh_type == SHT_SYMTAB && i < symbols_.sh_size / sizeof(Elf64_Sym); ++i) {
      auto symbol = read<Elf64_Sym>(symbols_.sh_offset + i * sizeof(Elf64_Sym));
      uint64_t address = 0;
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && !resolve(symbol, address))
        functions.push_back({address, symbol.st_size, text(symbolNames_, symbol.st_name)});
    }
    std::vector<uint8_t> placed(object_.begin(), object_.end());
    auto header = read<Elf64_Ehdr>(0);
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (addresses_[i] == kAbsent)
        continue;
      uint64_t address = reinterpret_cast<uint64_t>(space_.executable()) + addresses_[i];
      size_t field = header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr);
      std::memcpy(placed.data() + field, &address, sizeof(address));
    }
    return announceCode(listeners, functions, std::move(placed));
  }

  std::span<const uint8_t> object_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<uint64_t> addresses_; ///< offset in the space of each section, or kAbsent
  Elf64_Shdr names_{}, symbols_{}, symbolNames_{};
  uint64_t largestAlign_ = 16;
  std::vector<std::pair<std::string, const void *>> outside_; ///< functions that are called through jumps
  uint64_t jumps_ = 0;                                        ///< offset of the jumps in the space
  CodeSpace space_;
};

} // namespace

core::Expected<std::shared_ptr<const LoadedCode>> loadCode(std::span<const uint8_t> object,
                                                           std::span<const std::string> functions) {
  std::shared_ptr<const LoadedCode> result;
  if (auto failure = Loader(object).load(functions, result))
    return std::move(*failure);
  return result;
}

} // namespace tenferro::runtime
