// The loader on an object made by the compiler, on damaged copies of it, and on many of them.
#include "runtime/program/CodeLoader.h"

#include "runtime/core/KernelAbi.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenferro;
using namespace tenferro::runtime;

namespace {

std::vector<uint8_t> object() {
  std::ifstream file(TENFERRO_TEST_OBJECT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::vector<std::string> kFunctions = {"tenferroTestSquareSum", "tenferroTestTable", "tenferroTestPointer"};

using Integers = long long (*)(long long, long long);
using Real = double (*)(long long);

void callAll(const LoadedCode &code) {
  EXPECT_EQ(reinterpret_cast<Integers>(code.function(0))(3, 4), 25);
  EXPECT_EQ(reinterpret_cast<Real>(code.function(1))(2), 3.75);
  EXPECT_EQ(reinterpret_cast<Real>(code.function(2))(1), 4.5);
}

/// An object of one .text section with one relocation, made by hand.
std::vector<uint8_t> oneRelocation(uint32_t type, bool defined, uint64_t place, uint8_t symbolType = STT_FUNC,
                                   const std::string &name = "memcpy") {
  std::vector<uint8_t> bytes(sizeof(Elf64_Ehdr));
  auto append = [&](const void *data, size_t size) {
    size_t at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, data, size);
    return at;
  };
  uint8_t code[16] = {0xE8, 0, 0, 0, 0, 0xC3};
  size_t text = append(code, sizeof(code));
  Elf64_Sym symbols[3] = {};
  symbols[1].st_name = 1; // "f"
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[2].st_name = 3;
  symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, symbolType);
  symbols[2].st_shndx = defined ? 1 : SHN_UNDEF;
  size_t symbolTable = append(symbols, sizeof(symbols));
  Elf64_Rela rela = {place, ELF64_R_INFO(2, type), -4};
  size_t relocations = append(&rela, sizeof(rela));
  std::string strings("\0f\0", 3);
  strings += name + '\0';
  const size_t textName = strings.size();
  strings += std::string(".text") + '\0';
  size_t names = append(strings.data(), strings.size());
  Elf64_Shdr sections[5] = {};
  sections[1].sh_name = static_cast<uint32_t>(textName);
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  sections[1].sh_offset = text;
  sections[1].sh_size = sizeof(code);
  sections[1].sh_addralign = 16;
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_offset = symbolTable;
  sections[2].sh_size = sizeof(symbols);
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  sections[2].sh_link = 4;
  sections[3].sh_type = SHT_RELA;
  sections[3].sh_offset = relocations;
  sections[3].sh_size = sizeof(rela);
  sections[3].sh_entsize = sizeof(rela);
  sections[3].sh_info = 1;
  sections[3].sh_link = 2;
  sections[4].sh_type = SHT_STRTAB;
  sections[4].sh_offset = names;
  sections[4].sh_size = strings.size();
  size_t table = append(sections, sizeof(sections));
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shoff = table;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

const std::vector<std::string> kF = {"f"};

} // namespace

TEST(CodeLoader, CompilersObjectRuns) {
  auto code = loadCode(object(), kFunctions);
  ASSERT_TRUE(code) << code.failure().message;
  callAll(**code);
  EXPECT_GT((*code)->bytes(), 0u);
}

TEST(CodeLoader, NothingIsWritableAndExecutable) {
  auto code = loadCode(object(), kFunctions);
  ASSERT_TRUE(code);
  std::ifstream maps("/proc/self/maps");
  int executable = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("tenferro-code") == std::string::npos)
      continue;
    EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
    executable += line.find("r-x") != std::string::npos;
  }
  EXPECT_GE(executable, 1);
}

TEST(CodeLoader, ManyObjectsShareSlabsAndGiveThemBack) {
  std::vector<uint8_t> bytes = object();
  size_t before = codeStats().usedBytes;
  {
    std::vector<std::shared_ptr<const LoadedCode>> kept;
    for (int i = 0; i < 2000; ++i) {
      auto code = loadCode(bytes, kFunctions);
      ASSERT_TRUE(code);
      kept.push_back(*code);
    }
    CodeStats stats = codeStats();
    EXPECT_LT(stats.slabs, 20u);
    EXPECT_GE(stats.usedBytes, before + 2000 * 64);
    std::mt19937 random(1);
    std::shuffle(kept.begin(), kept.end(), random);
    kept.resize(1000);
    for (int i = 0; i < 1000; ++i) {
      auto code = loadCode(bytes, kFunctions);
      ASSERT_TRUE(code);
      kept.push_back(*code);
    }
    EXPECT_LE(codeStats().slabs, stats.slabs);
    for (const auto &code : kept)
      callAll(*code);
  }
  EXPECT_EQ(codeStats().usedBytes, before);
  EXPECT_LE(codeStats().slabs, 2u);
}

TEST(CodeLoader, RefusesWhatCodeMustNotNeed) {
  auto message = [](const std::vector<uint8_t> &bytes) {
    auto code = loadCode(bytes, kF);
    return code ? std::string("loaded") : code.failure().message;
  };
  EXPECT_EQ(message(oneRelocation(R_X86_64_PLT32, true, 1)), "loaded");
  EXPECT_EQ(message(oneRelocation(R_X86_64_PC32, true, 1)), "loaded");
  EXPECT_EQ(message(oneRelocation(R_X86_64_PLT32, false, 1)),
            "expects code without outside references, but it needs 'memcpy'");
  EXPECT_EQ(message(oneRelocation(R_X86_64_PC32, true, 1, STT_TLS)), "expects no thread-local data, but got 'memcpy'");
  EXPECT_EQ(message(oneRelocation(R_X86_64_GOTPCREL, true, 1)),
            "expects relocations PC32, PLT32 or 64, but got type 9 for 'memcpy' in section .text");
  EXPECT_EQ(message(oneRelocation(R_X86_64_PC32, true, 13)),
            "expects relocations inside their section, but got one outside .text");
  EXPECT_EQ(message(oneRelocation(R_X86_64_64, true, 9)),
            "expects relocations inside their section, but got one outside .text");
  auto code = loadCode(object(), std::vector<std::string>{"tenferroTestMissing"});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.failure().message, "expects a function 'tenferroTestMissing' in the object");
  EXPECT_EQ(code.failure().kind, ErrorKind::Internal);
}

namespace {
/// A vector loop that doubles f64 elements, eight at a time, and counts its calls.
int doublings = 0;
void doubleVectors(void *const *args, int64_t n) {
  ++doublings;
  EXPECT_EQ(n % 8, 0);
  for (int64_t i = 0; i < n; ++i)
    static_cast<double *>(args[1])[i] = 2 * static_cast<const double *>(args[0])[i];
}
} // namespace

TEST(CodeLoader, CodeCallsTheRuntimesFunctions) {
  // "call name; ret" becomes a jump to it: the call's five bytes are a jump's.
  std::vector<uint8_t> bytes = oneRelocation(R_X86_64_PLT32, false, 1, STT_NOTYPE, kRunVectorLoop);
  auto place = std::find(bytes.begin() + sizeof(Elf64_Ehdr), bytes.end(), uint8_t{0xE8});
  *place = 0xE9;
  auto code = loadCode(bytes, kF);
  ASSERT_TRUE(code) << code.failure().message;
  auto run = reinterpret_cast<Status (*)(void *const *, VectorLoop, const int64_t *, int64_t, int64_t, const void *)>(
      (*code)->function(0));
  const int32_t shape[] = {8, 1, 2, 8, 8};
  double x[2][20], y[2][20] = {};
  for (int i = 0; i < 40; ++i)
    x[i / 20][i % 20] = i;
  void *args[] = {x, y};
  int64_t outer[] = {sizeof(x[0]), sizeof(y[0])};
  EXPECT_EQ(run(args, doubleVectors, outer, 19, 2, shape), kOk);
  EXPECT_EQ(doublings, 4); // for each row the whole vectors, then the rest
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(y[i / 20][i % 20], i % 20 < 19 ? 2 * i : 0);
  EXPECT_EQ(run(args, doubleVectors, outer, 0, 2, shape), kOk);
  EXPECT_EQ(run(args, doubleVectors, outer, 19, 0, shape), kOk);
  EXPECT_EQ(doublings, 4);
}

TEST(CodeLoader, DamagedObjectsFailOrLoadButNeverCrash) {
  const std::vector<uint8_t> good = object();
  size_t before = codeStats().usedBytes;
  for (size_t length = 0; length < good.size(); length += 7)
    (void)loadCode(std::span(good).first(length), kFunctions);
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bad = good;
    for (int i = 0; i < 3; ++i)
      bad[random() % bad.size()] = static_cast<uint8_t>(random());
    (void)loadCode(bad, kFunctions); // loaded or not, nothing is called
  }
  for (int round = 0; round < 20000; ++round) { // headers and tables
    std::vector<uint8_t> bad = good;
    size_t region = round % 2 ? 64 : bad.size() - 64 * 12;
    bad[(region + random() % (64 * 12)) % bad.size()] = static_cast<uint8_t>(random() % 3 ? 0xFF : random());
    (void)loadCode(bad, kFunctions);
  }
  EXPECT_EQ(codeStats().usedBytes, before);
}

TEST(CodeLoader, ForkedProcessesDoNotWriteIntoEachOther) {
  std::vector<uint8_t> bytes = object();
  auto shared = loadCode(bytes, kFunctions);
  ASSERT_TRUE(shared);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    // The parent drops its copy and loads other code meanwhile.
    char ready;
    if (read(pipes[0], &ready, 1) != 1)
      _exit(2);
    bool ok = reinterpret_cast<Integers>((*shared)->function(0))(3, 4) == 25;
    auto mine = loadCode(bytes, kFunctions);
    ok = ok && mine && reinterpret_cast<Real>((*mine)->function(1))(2) == 3.75;
    _exit(ok ? 0 : 3);
  }
  shared = core::Expected<std::shared_ptr<const LoadedCode>>(nullptr);
  std::vector<std::shared_ptr<const LoadedCode>> others;
  for (int i = 0; i < 50; ++i) {
    auto code = loadCode(oneRelocation(R_X86_64_PC32, true, 1), kF);
    ASSERT_TRUE(code);
    others.push_back(*code);
  }
  ASSERT_EQ(write(pipes[1], "x", 1), 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(pipes[0]);
  close(pipes[1]);
}
