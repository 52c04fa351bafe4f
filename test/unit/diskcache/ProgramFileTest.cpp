// Programs as bytes: every field is there and comes back, and no other bytes are taken for a program.
#include "runtime/cache/ProgramFile.h"

#include "DiskTestSupport.h"
#include "runtime/cache/ProgramFields.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

const std::string kKey = "vjp wrt (0) seed ones\ninput f64[3]\n";

using Bytes = std::vector<uint8_t>;

/// Counts the leaves of a structure, and changes the one with the number `target`.
class Changer {
public:
  explicit Changer(size_t target) : target_(target) {}
  size_t count = 0;

  void visit(bool &value) {
    if (isTarget())
      value = !value;
  }
  template <typename T>
    requires(std::is_integral_v<T>)
  void visit(T &value) {
    if (isTarget())
      value ^= 1;
  }
  template <typename T>
    requires(std::is_enum_v<T>)
  void visit(T &value) {
    if (isTarget())
      value = static_cast<T>(static_cast<int>(value) ? 0 : 1);
  }
  void visit(std::string &text) {
    if (isTarget())
      text += 'x';
  }
  void visit(IntList &list) {
    if (isTarget())
      list.push_back(1);
    for (int64_t &element : list)
      visit(element);
  }
  void visit(std::vector<bool> &list) {
    if (isTarget())
      list.push_back(false);
    for (size_t i = 0; i < list.size(); ++i)
      if (isTarget())
        list[i] = !list[i];
  }
  template <typename T> void visit(std::vector<T> &list) {
    if (isTarget())
      list.push_back(T());
    for (T &element : list)
      visit(element);
  }
  template <typename T> void visit(Boxed<T> &box) {
    bool present = box.bytes() != 0;
    if (isTarget()) // a box that is not there becomes one of defaults
      present ? void(box = Boxed<T>()) : void(*box);
    else if (present)
      visit(*box);
  }
  void visit(HasFields auto &structure) {
    fields(structure, [&](auto &...field) { (visit(field), ...); });
  }

private:
  bool isTarget() { return count++ == target_; }
  size_t target_;
};

std::string messageFor(const Bytes &bytes, const std::string &key = kKey) {
  auto read = readProgramFile(bytes, key);
  EXPECT_FALSE(read) << "read all the same";
  if (read)
    return {};
  EXPECT_EQ(read.failure().kind, ErrorKind::Io);
  return read.failure().message;
}

} // namespace

TEST(ProgramFile, ComesBackAsItWas) {
  const CompiledArtifact artifact = fullArtifact();
  Bytes bytes = writeProgramFile(kKey, artifact);
  auto read = readProgramFile(bytes, kKey);
  ASSERT_TRUE(read) << read.failure().message;
  const Program &program = read->program;
  ASSERT_EQ(program.values.size(), 2u);
  EXPECT_EQ(program.values[0].type, (core::ValueType{DType::F32, {3, 5}}));
  EXPECT_EQ(program.values[0].storage, StorageKind::View);
  EXPECT_EQ(program.values[0].index, 7u);
  EXPECT_EQ(program.values[0].offset, 24);
  const View &view = *std::as_const(program.values[0].view);
  EXPECT_TRUE(view.reshape);
  EXPECT_EQ(view.dims, (IntList{1, -1}));
  EXPECT_EQ(view.starts, (IntList{2, 0}));
  EXPECT_EQ(view.steps, (IntList{-1, 1}));
  EXPECT_EQ(view.alongside, (IntList{-1, 0}));
  EXPECT_EQ(program.values[1].view.bytes(), 0u);
  ASSERT_EQ(program.launches.size(), 2u);
  const Launch &launch = program.launches[0];
  EXPECT_EQ(launch.kind, LaunchKind::Gather);
  EXPECT_EQ(launch.kernel, "add.f64");
  EXPECT_EQ(launch.function, 3u);
  EXPECT_EQ(launch.operands, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(launch.outputs, 2u);
  EXPECT_EQ(launch.access, (std::vector<Access>{Access::Unit, Access::Scalar}));
  EXPECT_EQ(launch.axes, IntList{1});
  EXPECT_EQ(launch.low, IntList{-2});
  EXPECT_EQ(launch.interior, IntList{4});
  EXPECT_EQ(launch.dot->lhsContracting, IntList{0});
  EXPECT_EQ(launch.dot->rhsContracting, IntList{1});
  EXPECT_EQ(launch.dot->lhsBatch, IntList{2});
  EXPECT_EQ(launch.dot->rhsBatch, IntList{3});
  const WindowDimensions &windows = *launch.windows;
  EXPECT_EQ(windows.window, IntList{0});
  EXPECT_EQ(windows.fixed, IntList{1});
  EXPECT_EQ(windows.map, IntList{2});
  EXPECT_EQ(windows.vectorDim, 3);
  EXPECT_EQ(windows.sizes, IntList{4});
  EXPECT_EQ(windows.mode, IndexMode::Fill);
  EXPECT_EQ(windows.update, ScatterUpdate::Max);
  EXPECT_TRUE(windows.backward);
  EXPECT_TRUE(launch.reverse);
  EXPECT_EQ(launch.combine, (std::vector<std::string>{"sum.f64", "max.f32"}));
  EXPECT_TRUE(launch.rowOnly);
  EXPECT_EQ(launch.weight, 77u);
  EXPECT_EQ(launch.opNumbers, (std::vector<uint32_t>{11, 12}));
  ASSERT_EQ(program.origins.size(), 2u);
  EXPECT_EQ(program.origins[0].opNumber, 5u);
  EXPECT_EQ(program.origins[0].innerNumber, 6u);
  EXPECT_EQ(program.origins[0].made, "log: cotangent of operand 0");
  EXPECT_EQ(program.arguments, (std::vector<core::ValueType>{{DType::Complex64, {2, 0}}}));
  EXPECT_EQ(program.argumentUsed, (std::vector<bool>{true, false}));
  EXPECT_EQ(program.argumentContiguous, (std::vector<bool>{false, true}));
  EXPECT_EQ(program.results, std::vector<uint32_t>{1});
  EXPECT_EQ(program.arenaBytes, 4096);
  EXPECT_EQ(program.constants, (Bytes{1, 2, 3}));
  EXPECT_EQ(program.callbacks, (std::vector<CallbackName>{{"family.of/me", 9, {1, 2}}}));
  EXPECT_EQ(read->active, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(read->object, (Bytes{0x7f, 'E', 'L', 'F'}));
  EXPECT_EQ(read->functions, (std::vector<std::string>{"k0_add", ""}));
  EXPECT_EQ(writeProgramFile(kKey, *read), bytes);
}

TEST(ProgramFile, EveryFieldIsInIt) {
  const CompiledArtifact artifact = fullArtifact();
  const Bytes bytes = writeProgramFile(kKey, artifact);
  Changer all(SIZE_MAX);
  CompiledArtifact copy = artifact;
  all.visit(copy);
  ASSERT_EQ(writeProgramFile(kKey, copy), bytes) << "nothing was to be changed";
  EXPECT_GT(all.count, 120u); // 51 fields, lists and their elements
  for (size_t i = 0; i < all.count; ++i) {
    CompiledArtifact changed = artifact;
    Changer(i).visit(changed);
    Bytes other = writeProgramFile(kKey, changed);
    EXPECT_NE(other, bytes) << "leaf " << i;
    auto read = readProgramFile(other, kKey);
    ASSERT_TRUE(read) << "leaf " << i << ": " << read.failure().message;
    EXPECT_EQ(writeProgramFile(kKey, *read), other) << "leaf " << i;
  }
}

TEST(ProgramFile, EveryFlippedBitIsCaught) {
  const Bytes bytes = writeProgramFile(kKey, fullArtifact());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_NE(messageFor(damaged), "") << "bit " << bit;
  }
}

TEST(ProgramFile, EveryOtherLengthIsCaught) {
  Bytes bytes = writeProgramFile(kKey, fullArtifact());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageFor(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size))), "") << size;
  bytes.push_back(0);
  EXPECT_NE(messageFor(bytes), "");
}

TEST(ProgramFile, SaysWhatIsWrong) {
  Bytes bytes = writeProgramFile(kKey, fullArtifact());
  EXPECT_EQ(messageFor(bytes, kKey + "x"), "expects the key that was asked for");
  EXPECT_EQ(messageFor({}), "expects at least 48 bytes, but got 0");
  Bytes other = bytes;
  other[0] = 'T';
  EXPECT_EQ(messageFor(other), "expects a file that begins with 'tenferro'");
  other = bytes;
  other[8] = 0; // an older format
  sealProgramFile(other);
  EXPECT_EQ(messageFor(other), "expects format 1, but got 0");
  other = bytes;
  other.push_back(0);
  EXPECT_EQ(messageFor(other),
            "expects " + std::to_string(bytes.size()) + " bytes, but got " + std::to_string(other.size()));
  other = bytes;
  other[100] ^= 1;
  EXPECT_EQ(messageFor(other), "expects bytes of their checksum");
  other = bytes;
  other[24] = other[25] = 0xff; // a key longer than the file
  sealProgramFile(other);
  EXPECT_EQ(messageFor(other), "expects a header that fits the file");
  other = bytes;
  other[12] = 1; // reserved
  sealProgramFile(other);
  EXPECT_EQ(messageFor(other), "expects a header that fits the file");
  EXPECT_EQ(messageFor(makeProgramFile(kKey, {})), "expects a program as this library writes it");
}

/// Of a file whose checksum was made again after the change: it is refused, or is what is written for what was read.
TEST(ProgramFile, ForgedBytesAreReadAsTheyAreWrittenOrNotAtAll) {
  const Bytes whole = writeProgramFile(kKey, fullArtifact());
  const std::span<const uint8_t> payload =
      std::span(whole)
          .subspan(kProgramFileHeaderBytes + kKey.size())
          .first(whole.size() - kProgramFileHeaderBytes - kKey.size() - kProgramFileChecksumBytes);
  ASSERT_EQ(makeProgramFile(kKey, payload), whole);
  std::mt19937 random(1);
  int taken = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes forged(payload.begin(), payload.end());
    switch (random() % 4) {
    case 0: // a bit
      forged[random() % forged.size()] ^= static_cast<uint8_t>(1u << random() % 8);
      break;
    case 1: // a number of eight bytes: many counts are
      for (size_t at = random() % (forged.size() - 8), i = 0; i < 8; ++i)
        forged[at + i] = static_cast<uint8_t>(random() % 3 ? 0xff : random());
      break;
    case 2:
      forged.resize(random() % forged.size());
      break;
    default: { // a piece of it elsewhere
      size_t from = random() % forged.size(), to = random() % forged.size();
      size_t count = std::min<size_t>(random() % 64, forged.size() - std::max(from, to));
      std::memmove(forged.data() + to, forged.data() + from, count);
    }
    }
    Bytes file = makeProgramFile(kKey, forged);
    auto read = readProgramFile(file, kKey);
    ++(read ? taken : refused);
    if (read)
      EXPECT_EQ(writeProgramFile(kKey, *read), file) << "round " << round;
    else
      EXPECT_EQ(read.failure().kind, ErrorKind::Io);
  }
  EXPECT_GT(taken, 2000);
  EXPECT_GT(refused, 2000);
}

TEST(ProgramFile, HugeCountsTakeNoMemory) {
  // The first list of a program is its values: a count of them and nothing else.
  for (uint64_t count : {uint64_t{1}, uint64_t{1} << 20, uint64_t{1} << 32, uint64_t{1} << 61, ~uint64_t{0}}) {
    Bytes payload(8);
    std::memcpy(payload.data(), &count, 8);
    EXPECT_EQ(messageFor(makeProgramFile(kKey, payload)), "expects a program as this library writes it") << count;
  }
}
