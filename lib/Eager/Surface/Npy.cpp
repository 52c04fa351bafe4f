// The .npy format: a short text header, then the elements as they lie in memory.
#include "tenferro/Npy.h"

#include "lib/Eager/TensorImpl.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace tenferro {

using detail::TensorAccess;

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
constexpr size_t kMaxRank = 64; // NumPy's own limit
constexpr int64_t kMaxHeaderBytes = int64_t{1} << 20; // NumPy reads 10000 unless told otherwise

[[noreturn]] void fail(std::string_view op, ErrorKind kind, const std::string &path, const std::string &what) {
  Failure failure;
  failure.kind = kind;
  failure.phase = Phase::Execution;
  failure.op = op;
  failure.argument = "path";
  failure.message = "'" + path + "' " + what;
  raise(std::move(failure));
}

struct FileCloser {
  void operator()(std::FILE *file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

struct Header {
  DType dtype = DType::F64;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the Python dictionary of a header: exactly the keys descr, fortran_order and shape.
class HeaderParser {
public:
  HeaderParser(const std::string &text, const std::string &path) : text_(text), path_(path) {}

  Header parse() {
    Header header;
    bool seen[3] = {};
    expect('{');
    while (!accept('}')) {
      std::string key = quoted();
      expect(':');
      int index = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (index < 0 || seen[index])
        damaged("has a header with an unexpected key '" + key + "'");
      seen[index] = true;
      if (index == 0)
        header.dtype = descriptor();
      else if (index == 1)
        header.fortranOrder = boolean();
      else
        header.shape = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at_ != text_.size() || !(seen[0] && seen[1] && seen[2]))
      damaged("has a header that is not the dictionary of descr, fortran_order and shape");
    return header;
  }

private:
  [[noreturn]] void damaged(const std::string &what) const { fail("read_npy", ErrorKind::Io, path_, what); }
  [[noreturn]] void unsupported(const std::string &what) const {
    fail("read_npy", ErrorKind::Unsupported, path_, what);
  }

  void skipSpace() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) && text_[at_] != '\0')
      ++at_;
  }
  bool accept(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      damaged(std::string("has a damaged header: expects '") + c + "' at position " + std::to_string(at_));
  }
  bool acceptWord(std::string_view word) {
    skipSpace();
    if (text_.compare(at_, word.size(), word) != 0)
      return false;
    at_ += word.size();
    return true;
  }

  std::string quoted() {
    char quote = accept('\'') ? '\'' : '"';
    if (quote == '"')
      expect('"');
    size_t end = text_.find(quote, at_);
    if (end == std::string::npos)
      damaged("has a damaged header: a string does not end");
    std::string word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }

  DType descriptor() {
    skipSpace();
    if (at_ < text_.size() && text_[at_] == '[')
      unsupported("holds records, not plain numbers");
    std::string code = quoted();
    static constexpr struct {
      std::string_view code;
      DType dtype;
    } kCodes[] = {{"b1", DType::Bool}, {"u1", DType::U8},        {"i1", DType::I8},         {"i2", DType::I16},
                  {"i4", DType::I32},  {"i8", DType::I64},       {"f2", DType::F16},        {"f4", DType::F32},
                  {"f8", DType::F64},  {"c8", DType::Complex64}, {"c16", DType::Complex128}};
    if (code.size() > 1)
      for (const auto &entry : kCodes) {
        if (std::string_view(code).substr(1) != entry.code)
          continue;
        bool oneByte = byteSize(entry.dtype) == 1;
        if (code[0] == '<' || code[0] == '=' || (oneByte && (code[0] == '|' || code[0] == '>')))
          return entry.dtype;
        if (code[0] == '>')
          unsupported("holds big-endian elements '" + code + "'");
      }
    unsupported("holds elements '" + code + "', which is none of our dtypes");
  }

  bool boolean() {
    if (acceptWord("True"))
      return true;
    if (acceptWord("False"))
      return false;
    damaged("has a header whose fortran_order is neither True nor False");
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t extent = 0;
      size_t start = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
        if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, text_[at_] - '0', &extent))
          damaged("has a header with an extent beyond 64 bits");
      if (at_ == start)
        damaged("has a damaged header: expects an extent at position " + std::to_string(at_));
      if (shape.size() == kMaxRank)
        unsupported("has more than " + std::to_string(kMaxRank) + " axes");
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (!shape.isValid())
      damaged("has a header with shape " + shape.str() + ", which no memory holds");
    return shape;
  }

  const std::string &text_;
  const std::string &path_;
  size_t at_ = 0;
};

/// An open file and what is left of it, so that nothing is read or allocated beyond its end.
class Reader {
public:
  explicit Reader(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_)
      fail("read_npy", ErrorKind::Io, path, std::string("cannot be opened: ") + std::strerror(errno));
    if (fseeko(file_.get(), 0, SEEK_END) != 0 || (left_ = ftello(file_.get())) < 0 ||
        fseeko(file_.get(), 0, SEEK_SET) != 0)
      fail("read_npy", ErrorKind::Io, path, std::string("is not a file that can be read: ") + std::strerror(errno));
  }

  int64_t left() const noexcept { return left_; }

  void read(void *out, int64_t bytes, std::string_view what) {
    if (bytes > left_)
      fail("read_npy", ErrorKind::Io, path_,
           "ends within its " + std::string(what) + ": expects " + std::to_string(bytes) + " more bytes, but got " +
               std::to_string(left_));
    if (std::fread(out, 1, static_cast<size_t>(bytes), file_.get()) != static_cast<size_t>(bytes))
      fail("read_npy", ErrorKind::Io, path_, "cannot be read");
    left_ -= bytes;
  }

private:
  const std::string &path_;
  File file_;
  int64_t left_ = 0;
};

std::string readHeaderText(Reader &reader, const std::string &path) {
  unsigned char start[kMagicBytes + 2];
  reader.read(start, sizeof start, "header");
  if (std::memcmp(start, kMagic, kMagicBytes) != 0)
    fail("read_npy", ErrorKind::Io, path, "is not a .npy file");
  int version = start[kMagicBytes];
  if (version < 1 || version > 3 || start[kMagicBytes + 1] != 0)
    fail("read_npy", ErrorKind::Unsupported, path,
         "has format " + std::to_string(version) + "." + std::to_string(start[kMagicBytes + 1]) +
             ", but 1.0, 2.0 and 3.0 are known");
  unsigned char length[4] = {};
  reader.read(length, version == 1 ? 2 : 4, "header");
  int64_t bytes = length[0] | length[1] << 8 | length[2] << 16 | static_cast<int64_t>(length[3]) << 24;
  if (bytes > reader.left())
    fail("read_npy", ErrorKind::Io, path,
         "ends within its header: expects " + std::to_string(bytes) + " more bytes, but got " +
             std::to_string(reader.left()));
  if (bytes > kMaxHeaderBytes)
    fail("read_npy", ErrorKind::Unsupported, path,
         "has a header of " + std::to_string(bytes) + " bytes, but at most " + std::to_string(kMaxHeaderBytes) +
             " are read");
  std::string text(static_cast<size_t>(bytes), '\0');
  reader.read(text.data(), bytes, "header");
  return text;
}

std::string_view descriptorOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "|b1";
  case DType::U8:
    return "|u1";
  case DType::I8:
    return "|i1";
  case DType::I16:
    return "<i2";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::Complex64:
    return "<c8";
  case DType::Complex128:
    return "<c16";
  }
  return "";
}

std::string makeHeader(const Tensor &tensor) {
  std::string text = "{'descr': '" + std::string(descriptorOf(tensor.dtype())) + "', 'fortran_order': True, 'shape': (";
  for (size_t axis = 0; axis < tensor.shape().size(); ++axis)
    text += std::to_string(tensor.shape()[axis]) + (axis == 0 || axis + 1 < tensor.shape().size() ? "," : "");
  text += "), }";
  // The elements start at a multiple of 64 bytes; the last byte of the header ends its line.
  constexpr size_t kPrefix = kMagicBytes + 4, kAlignment = 64;
  text.resize((kPrefix + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kPrefix - 1, ' ');
  text += '\n';
  std::string header(kMagic, kMagicBytes);
  header += {'\1', '\0', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return header + text;
}

} // namespace

Tensor readNpy(const std::string &path) {
  Reader reader(path);
  std::string text = readHeaderText(reader, path);
  Header header = HeaderParser(text, path).parse();
  int64_t bytes = header.shape.elementCount() * static_cast<int64_t>(byteSize(header.dtype));
  if (bytes != reader.left())
    fail("read_npy", ErrorKind::Io, path,
         "expects " + std::to_string(bytes) + " bytes of elements for shape " + header.shape.str() + ", but has " +
             std::to_string(reader.left()));
  // Row-major elements are the reversed shape's column-major ones.
  Shape stored = header.shape;
  if (!header.fortranOrder)
    std::reverse(stored.begin(), stored.end());
  Tensor tensor = TensorAccess::allocate(header.dtype, stored);
  auto *elements = static_cast<unsigned char *>(TensorAccess::view(tensor).data);
  if (bytes > 0)
    reader.read(elements, bytes, "elements");
  if (header.dtype == DType::Bool)
    std::transform(elements, elements + bytes, elements,
                   [](unsigned char byte) { return static_cast<unsigned char>(byte != 0); });
  if (header.fortranOrder)
    return tensor;
  IntList reversed;
  for (int64_t axis = stored.rank(); axis-- > 0;)
    reversed.push_back(axis);
  return tensor.transposed(reversed).contiguous();
}

void writeNpy(const std::string &path, const Tensor &tensor) {
  if (descriptorOf(tensor.dtype()).empty())
    fail("write_npy", ErrorKind::Unsupported, path, "cannot hold " + std::string(name(tensor.dtype())) + " elements");
  if (tensor.shape().size() > kMaxRank)
    fail("write_npy", ErrorKind::Unsupported, path, "cannot hold more than " + std::to_string(kMaxRank) + " axes");
  Tensor elements = tensor.contiguous();
  std::string header = makeHeader(elements);
  size_t bytes = static_cast<size_t>(elements.elementCount()) * byteSize(elements.dtype());
  static std::atomic<uint64_t> next{0}; // other threads may write the same file
  std::string partial = path + ".partial" + std::to_string(getpid()) + "." + std::to_string(next.fetch_add(1));
  auto failed = [&](const std::string &what) {
    int error = errno;
    std::remove(partial.c_str());
    fail("write_npy", ErrorKind::Io, path, what + ": " + std::strerror(error));
  };
  File file(std::fopen(partial.c_str(), "wb"));
  if (!file)
    failed("cannot be opened for writing");
  if (std::fwrite(header.data(), 1, header.size(), file.get()) != header.size() ||
      (bytes > 0 && std::fwrite(elements.data(), 1, bytes, file.get()) != bytes))
    failed("cannot be written");
  if (std::fclose(file.release()) != 0)
    failed("cannot be written");
  if (std::rename(partial.c_str(), path.c_str()) != 0)
    failed("cannot be replaced");
}

} // namespace tenferro
