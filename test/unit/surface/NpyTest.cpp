// .npy files: what NumPy writes is read, what we write reads back, and damaged files are typed errors.
#include "test/unit/surface/Support.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tenferro::test {
namespace {

/// A file that goes away with the test.
class TemporaryFile {
public:
  TemporaryFile() {
    path = ::testing::TempDir() + "tenferro-npy-XXXXXX";
    int descriptor = mkstemp(path.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  const std::string &write(const std::string &bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string path;
};

std::string npy(const std::string &dictionary, const std::string &elements, char version = 1) {
  std::string text = dictionary + "\n", length;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    length += static_cast<char>(text.size() >> 8 * i & 255);
  return std::string("\x93NUMPY") + version + '\0' + length + text + elements;
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

ErrorKind kindOfReading(const std::string &bytes) {
  TemporaryFile file;
  try {
    readNpy(file.write(bytes));
  } catch (const Error &error) {
    EXPECT_EQ(error.op(), "read_npy");
    EXPECT_NE(error.failure().message.find(file.path), std::string::npos) << error.what();
    return error.kind();
  }
  ADD_FAILURE() << "expected an error";
  return ErrorKind::Internal;
}

TEST(Npy, ReadsRowMajorAndFortranOrderOfEveryFormat) {
  TemporaryFile file;
  std::string elements = bytesOf<double>({1, 2, 3, 4, 5, 6});
  for (char version : {1, 2, 3}) {
    Tensor rows =
        readNpy(file.write(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", elements, version)));
    EXPECT_EQ(rows.str(), "f64[2, 3] [[1, 2, 3], [4, 5, 6]]");
    EXPECT_TRUE(rows.isContiguous());
  }
  Tensor columns = readNpy(file.write(npy("{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"<f8\"}", elements)));
  EXPECT_EQ(columns.str(), "f64[2, 3] [[1, 3, 5], [2, 4, 6]]");
}

TEST(Npy, ReadsEveryDtypeScalarsAndNothing) {
  TemporaryFile file;
  auto read = [&](const std::string &descr, const std::string &shape, const std::string &elements) {
    return readNpy(file.write(
                       npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", elements)))
        .str();
  };
  EXPECT_EQ(read("|b1", "(3,)", std::string("\0\1\2", 3)), "bool[3] [false, true, true]");
  EXPECT_EQ(read("|u1", "(2,)", "\xff\x01"), "u8[2] [255, 1]");
  EXPECT_EQ(read("<i4", "(2,)", bytesOf<int32_t>({-1, 7})), "i32[2] [-1, 7]");
  EXPECT_EQ(read("<i8", "(2,)", bytesOf<int64_t>({-1, 7})), "i64[2] [-1, 7]");
  EXPECT_EQ(read("<f4", "(1,)", bytesOf<float>({0.5f})), "f32[1] [0.5]");
  EXPECT_EQ(read("<f8", "()", bytesOf<double>({2.5})), "f64[] 2.5");
  EXPECT_EQ(read("<f8", "(0, 3)", ""), "f64[0, 3] []");
}

TEST(Npy, WritesWhatItReads) {
  TemporaryFile file;
  for (const Tensor &tensor : {matrix(2, 3, {1, 2, 3, 4, 5, 6}), vec({}), Tensor::scalar(1.5),
                               Tensor::from({2}, std::vector<bool>{true, false}),
                               Tensor::from({2, 1, 2}, {uint8_t(1), uint8_t(2), uint8_t(3), uint8_t(4)}), ints({-5}),
                               Tensor::from({1}, {0.1f}), matrix(2, 3, {1, 2, 3, 4, 5, 6}).transposed({1, 0})}) {
    writeNpy(file.path, tensor);
    EXPECT_EQ(readNpy(file.path).str(), tensor.str());
    std::ifstream stream(file.path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    // The header ends on a multiple of 64 bytes with a line break, as the format asks.
    size_t payload = static_cast<size_t>(tensor.elementCount()) * byteSize(tensor.dtype());
    EXPECT_EQ((bytes.size() - payload) % 64, 0u);
    EXPECT_EQ(bytes[bytes.size() - payload - 1], '\n');
  }
}

TEST(Npy, ThreadsMayWriteTheSameFile) {
  TemporaryFile file;
  writeNpy(file.path, vec({0}));
  std::atomic<int> failed{0}, writing{4};
  std::vector<std::thread> threads;
  for (int64_t i = 1; i <= 4; ++i)
    threads.emplace_back([&, i] {
      const Tensor tensor = Tensor::from({i * 4000}, std::vector<double>(static_cast<size_t>(i * 4000), double(i)));
      for (int round = 0; round < 50; ++round)
        try {
          writeNpy(file.path, tensor);
        } catch (const Error &) {
          ++failed;
        }
      --writing;
    });
  while (writing.load())
    try { // all of one of them, whenever it is read
      std::vector<double> read = readNpy(file.path).toVector<double>();
      const double first = read.at(0);
      EXPECT_EQ(read.size(), first == 0 ? 1 : static_cast<size_t>(first) * 4000);
      EXPECT_EQ(std::count(read.begin(), read.end(), first), static_cast<ptrdiff_t>(read.size()));
    } catch (const Error &) {
      ++failed;
    }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed.load(), 0);
}

TEST(Npy, FilesThatAreNotThereOrCannotBeWritten) {
  EXPECT_ERROR(readNpy("/nowhere/at/all.npy"), ErrorKind::Io, "read_npy");
  EXPECT_ERROR(readNpy(::testing::TempDir()), ErrorKind::Io, "read_npy");
  EXPECT_ERROR(writeNpy("/nowhere/at/all.npy", vec({1})), ErrorKind::Io, "write_npy");
  EXPECT_ERROR(writeNpy(::testing::TempDir() + "unused.npy", Tensor()), ErrorKind::InvalidArgument, "tensor");
  const uint16_t bits = 0;
  EXPECT_ERROR(writeNpy(::testing::TempDir() + "unused.npy", Tensor::fromElements({1}, DType::BF16, &bits, 1)), ErrorKind::Unsupported,
               "write_npy");
}

TEST(Npy, DamagedFilesAreTypedErrors) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
                    elements = bytesOf<double>({1, 2});
  EXPECT_EQ(kindOfReading(""), ErrorKind::Io);
  EXPECT_EQ(kindOfReading("PK\x03\x04 not an array at all"), ErrorKind::Io);
  EXPECT_EQ(kindOfReading(npy(good, elements.substr(1))), ErrorKind::Io);
  EXPECT_EQ(kindOfReading(npy(good, elements + "x")), ErrorKind::Io);
  EXPECT_EQ(kindOfReading(npy(good, elements, 4)), ErrorKind::Unsupported);
  EXPECT_EQ(kindOfReading(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13)), ErrorKind::Io);
  EXPECT_EQ(kindOfReading(npy(good + std::string(size_t{1} << 20, ' '), elements, 2)), ErrorKind::Unsupported);
  auto header = [&](const std::string &dictionary) { return kindOfReading(npy(dictionary, elements)); };
  EXPECT_EQ(header("{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }"), ErrorKind::Unsupported);
  EXPECT_EQ(header("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"), ErrorKind::Unsupported);
  EXPECT_EQ(header("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }"), ErrorKind::Unsupported);
  EXPECT_EQ(header("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }"), ErrorKind::Unsupported);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,), }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904), }"),
            ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), } trailing"), ErrorKind::Io);
  EXPECT_EQ(header("{'descr': '<f8"), ErrorKind::Io);
}

TEST(Npy, EveryPrefixAndEveryFlippedByteIsAnErrorOrATensor) {
  TemporaryFile file;
  const std::string good = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", bytesOf<double>({1, 2}));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(readNpy(file.write(good.substr(0, length))), Error) << length;
  int tensors = 0;
  for (size_t at = 0; at < good.size(); ++at)
    for (int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      try {
        readNpy(file.write(bad));
        ++tensors;
      } catch (const Error &error) {
        EXPECT_TRUE(error.kind() == ErrorKind::Io || error.kind() == ErrorKind::Unsupported) << error.what();
      }
    }
  EXPECT_GE(tensors, 16 * 9); // a flipped element is another number
}

} // namespace
} // namespace tenferro::test
