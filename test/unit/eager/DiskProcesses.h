// What the tests of kept programs share: a folder, and processes that differentiate with it (DiskChild.cpp).
#ifndef TENFERRO_TEST_UNIT_EAGER_DISKPROCESSES_H
#define TENFERRO_TEST_UNIT_EAGER_DISKPROCESSES_H

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tenferro::test {

/// A fresh folder, which goes at the end.
class Disk : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// The cache folder in it. Children make it.
  std::string directory() const { return root_ + "/cache"; }
  /// The files of entries.
  std::vector<std::string> entries() const;
  std::string root_;
};

/// What a child printed: the bits of its results, its numbers, and what it said on stderr.
struct Answer {
  int status = -1;
  std::string bits, rest, errors;
  std::map<std::string, long long> numbers;
  long long operator[](const std::string &name) const;
};

/// Runs a child on a cache folder, and checks that it ends well. `before`: shell words in front of the command, such as
/// assignments.
Answer child(const std::string &directory, const std::string &words, const std::string &before = {});

std::string contentOf(const std::string &path);
void overwrite(const std::string &path, const std::string &content);
size_t lineCount(const std::string &text);

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_EAGER_DISKPROCESSES_H
