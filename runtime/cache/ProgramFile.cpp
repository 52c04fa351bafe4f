// Writing and reading by the list of fields. The reader stops at the first byte that cannot have been written.
#include "runtime/cache/ProgramFile.h"

#include "runtime/cache/ProgramFields.h"
#include "runtime/core/Failures.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenferro::runtime {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read and written as memory is");

constexpr char kMagic[8] = {'t', 'e', 'n', 'f', 'e', 'r', 'r', 'o'};

struct Header {
  char magic[8] = {};
  uint32_t version = 0;
  uint32_t reserved = 0;
  uint64_t bytes = 0;
  uint64_t keyBytes = 0;
};
static_assert(sizeof(Header) == kProgramFileHeaderBytes && offsetof(Header, keyBytes) == kProgramFileKeyBytesAt &&
              std::has_unique_object_representations_v<Header>);

struct Checksum {
  uint64_t low = 0, high = 0;
};
static_assert(sizeof(Checksum) == kProgramFileChecksumBytes);

Checksum checksumOf(std::span<const uint8_t> bytes) noexcept {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

class Writer {
public:
  explicit Writer(std::vector<uint8_t> &bytes) : bytes_(bytes) {}

  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void write(T value) {
    raw(&value, sizeof value);
  }
  void write(const std::string &text) {
    write(uint64_t{text.size()});
    raw(text.data(), text.size());
  }
  void write(const IntList &list) {
    write(uint64_t{list.size()});
    raw(list.data(), list.size() * sizeof(int64_t));
  }
  void write(const std::vector<uint8_t> &list) {
    write(uint64_t{list.size()});
    raw(list.data(), list.size());
  }
  template <typename T> void write(const std::vector<T> &list) {
    write(uint64_t{list.size()});
    for (const T &element : list)
      write(element);
  }
  template <typename T> void write(const Boxed<T> &box) {
    write(box.bytes() != 0);
    if (box.bytes())
      write(*box);
  }
  void write(HasFields auto const &structure) {
    fields(structure, [&](const auto &...field) { (write(field), ...); });
  }

private:
  void raw(const void *data, size_t size) {
    auto *start = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), start, start + size);
  }
  std::vector<uint8_t> &bytes_;
};

/// Each `read` says whether the bytes were there and can have been written; after a no, nothing more is read.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool atEnd() const noexcept { return bytes_.empty(); }

  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  bool read(T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      if (!read(byte) || byte > 1)
        return false;
      value = byte != 0;
      return true;
    } else {
      if (!raw(&value, sizeof value))
        return false;
      if constexpr (std::is_enum_v<T>)
        return isEnumerator(value);
      return true;
    }
  }
  bool read(std::string &text) {
    size_t count = 0;
    if (!readCount(count, 1))
      return false;
    text.resize(count);
    return raw(text.data(), count);
  }
  bool read(IntList &list) {
    size_t count = 0;
    if (!readCount(count, sizeof(int64_t)))
      return false;
    list.resize(count);
    return raw(list.data(), count * sizeof(int64_t));
  }
  bool read(std::vector<uint8_t> &list) {
    size_t count = 0;
    if (!readCount(count, 1))
      return false;
    list.resize(count);
    return raw(list.data(), count);
  }
  template <typename T> bool read(std::vector<T> &list) {
    size_t count = 0;
    // Structures and texts may be much larger here than in the file: room for them comes as they do.
    constexpr bool isPlain = std::is_integral_v<T> || std::is_enum_v<T>;
    if (!readCount(count, isPlain ? sizeof(T) : 1))
      return false;
    if (isPlain)
      list.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      T element{};
      if (!read(element))
        return false;
      list.push_back(std::move(element));
    }
    return true;
  }
  template <typename T> bool read(Boxed<T> &box) {
    bool present = false;
    if (!read(present))
      return false;
    return !present || read(*box);
  }
  bool read(HasFields auto &structure) {
    return fields(structure, [&](auto &...field) { return (read(field) && ...); });
  }

private:
  /// A number of elements of at least `elementBytes` each that the rest of the bytes has room for.
  bool readCount(size_t &count, size_t elementBytes) {
    uint64_t number = 0;
    if (!read(number) || number > bytes_.size() / elementBytes)
      return false;
    count = static_cast<size_t>(number);
    return true;
  }
  bool raw(void *data, size_t size) {
    if (size > bytes_.size())
      return false;
    if (size)
      std::memcpy(data, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }

  std::span<const uint8_t> bytes_;
};

Failure wrong(std::string message) { return makeFailure(ErrorKind::Io, "read program", std::move(message)); }

} // namespace

/// Header and key, with room for `more` bytes and the checksum.
static std::vector<uint8_t> beginFile(std::string_view key, size_t more) {
  std::vector<uint8_t> bytes;
  bytes.reserve(sizeof(Header) + key.size() + more + sizeof(Checksum));
  bytes.resize(sizeof(Header));
  bytes.insert(bytes.end(), key.begin(), key.end());
  return bytes;
}

static void endFile(std::string_view key, std::vector<uint8_t> &bytes) {
  bytes.resize(bytes.size() + sizeof(Checksum));
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kProgramFileVersion;
  header.bytes = bytes.size();
  header.keyBytes = key.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  sealProgramFile(bytes);
}

std::vector<uint8_t> writeProgramFile(std::string_view key, const CompiledArtifact &artifact) {
  std::vector<uint8_t> bytes = beginFile(key, artifact.object.size() + artifact.program.constants.size() + 4096);
  Writer(bytes).write(artifact);
  endFile(key, bytes);
  return bytes;
}

std::vector<uint8_t> makeProgramFile(std::string_view key, std::span<const uint8_t> payload) {
  std::vector<uint8_t> bytes = beginFile(key, payload.size());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  endFile(key, bytes);
  return bytes;
}

void sealProgramFile(std::span<uint8_t> bytes) noexcept {
  size_t end = bytes.size() - sizeof(Checksum);
  Checksum checksum = checksumOf(bytes.first(end));
  std::memcpy(bytes.data() + end, &checksum, sizeof checksum);
}

core::Expected<CompiledArtifact> readProgramFile(std::span<const uint8_t> bytes, std::string_view key) {
  if (bytes.size() < sizeof(Header) + sizeof(Checksum))
    return wrong("expects at least " + std::to_string(sizeof(Header) + sizeof(Checksum)) + " bytes, but got " +
                 std::to_string(bytes.size()));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return wrong("expects a file that begins with 'tenferro'");
  if (header.version != kProgramFileVersion)
    return wrong("expects format " + std::to_string(kProgramFileVersion) + ", but got " +
                 std::to_string(header.version));
  if (header.bytes != bytes.size())
    return wrong("expects " + std::to_string(header.bytes) + " bytes, but got " + std::to_string(bytes.size()));
  std::span<const uint8_t> content = bytes.first(bytes.size() - sizeof(Checksum));
  Checksum expected = checksumOf(content), checksum;
  std::memcpy(&checksum, bytes.data() + content.size(), sizeof checksum);
  if (checksum.low != expected.low || checksum.high != expected.high)
    return wrong("expects bytes of their checksum");
  content = content.subspan(sizeof(Header));
  if (header.reserved != 0 || header.keyBytes > content.size())
    return wrong("expects a header that fits the file");
  std::string_view written(reinterpret_cast<const char *>(content.data()), static_cast<size_t>(header.keyBytes));
  if (written != key)
    return wrong("expects the key that was asked for");
  Reader reader(content.subspan(written.size()));
  CompiledArtifact artifact;
  if (!reader.read(artifact) || !reader.atEnd())
    return wrong("expects a program as this library writes it");
  return artifact;
}

} // namespace tenferro::runtime
