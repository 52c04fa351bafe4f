// Whole processes on a disk with something wrong: right bits, at most one line of warning, no crash.
#include "test/unit/eager/DiskProcesses.h"

#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tenferro::test {

namespace {

constexpr uid_t kNobody = 65534;
const char *const kAsNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// What the cases damage: a folder with the entries of one process.
struct Kept {
  std::string root, directory;
  std::vector<std::string> entries;
  std::string subfolder() const { return fs::path(entries.at(0)).parent_path(); }
  /// The folder becomes a small file system.
  bool mounted(const char *size) const {
    return geteuid() == 0 && mount("tenferro-test", directory.c_str(), "tmpfs", 0, size) == 0;
  }
};

struct Fault {
  const char *name;
  /// Does the damage; what is given comes in front of the child. "skip" where the machine does not allow it.
  std::function<std::string(Kept &)> make;
  /// What the one warning says; empty: there is none.
  std::string warning;
  /// The next process finds all programs again.
  bool heals = false;
  /// Words the child begins with.
  std::string words = {};
};

void PrintTo(const Fault &fault, std::ostream *os) { *os << fault.name; }

Fault everyEntry(const char *name, std::function<bool(const std::string &)> damage, std::string warning) {
  return {name,
          [damage](Kept &kept) -> std::string {
            for (const std::string &entry : kept.entries)
              if (!damage(entry))
                return "skip";
            return {};
          },
          std::move(warning), /*heals=*/true};
}

Fault folder(const char *name, std::function<bool(Kept &)> damage, std::string warning) {
  return {name, [damage](Kept &kept) -> std::string { return damage(kept) ? "" : "skip"; }, std::move(warning)};
}

bool giveAway(const std::string &path) { return geteuid() == 0 && chown(path.c_str(), kNobody, kNobody) == 0; }

/// In front of a child that has no right to write where root has taken it; "skip" if it would not start.
std::string withoutRights(const std::vector<std::string> &paths) {
  if (geteuid() != 0)
    return {};
  for (const std::string &path : paths)
    if (!giveAway(path))
      return "skip";
  return std::system((std::string(kAsNobody) + " test -x '" TENFERRO_TEST_CHILD "' >/dev/null 2>&1").c_str()) == 0
             ? kAsNobody
             : "skip";
}

const std::vector<Fault> &faults() {
  static const std::vector<Fault> all = {
      everyEntry("ZeroBytes", [](const std::string &path) { return overwrite(path, ""), true; },
                 "expects at least 48 bytes, but got 0"),
      everyEntry("OlderFormat",
                 [](const std::string &path) {
                   std::string content = contentOf(path);
                   content[8] = 0;
                   return overwrite(path, content), true;
                 },
                 "expects format 1, but got 0"),
      everyEntry("Truncated",
                 [](const std::string &path) {
                   std::string content = contentOf(path);
                   return overwrite(path, content.substr(0, content.size() / 2)), true;
                 },
                 "is no entry for its key"),
      everyEntry("GroupWritable", [](const std::string &path) { return chmod(path.c_str(), 0620) == 0; },
                 "may be written by others"),
      everyEntry("ForeignOwner", giveAway, "belongs to user 65534"),
      everyEntry("Symlink",
                 [](const std::string &path) {
                   fs::rename(path, path + ".elsewhere");
                   fs::create_symlink(path + ".elsewhere", path);
                   return true;
                 },
                 "is a link or no plain file"),
      everyEntry("Fifo",
                 [](const std::string &path) {
                   fs::remove(path);
                   return mkfifo(path.c_str(), 0600) == 0;
                 },
                 "is no plain file"),
      {"FifoForLock",
       [](Kept &kept) -> std::string {
         for (const std::string &entry : kept.entries) {
           fs::remove(entry);
           if (mkfifo((entry + ".lock").c_str(), 0600) != 0)
             return "skip";
         }
         return {};
       },
       "", /*heals=*/true},
      {"OlderVersion", // which has a folder of its own
       [](Kept &kept) -> std::string {
         fs::rename(kept.subfolder(), kept.directory + "/0123456789abcdef0123456789abcdef");
         return {};
       },
       "", /*heals=*/true},
      folder("FolderForEntry",
             [](Kept &kept) {
               for (const std::string &entry : kept.entries) {
                 fs::remove(entry);
                 fs::create_directory(entry);
               }
               return true;
             },
             "is no plain file"),
      folder("GroupWritableFolder", [](Kept &kept) { return chmod(kept.directory.c_str(), 0770) == 0; },
             "may be written by others"),
      folder("GroupWritableSubfolder", [](Kept &kept) { return chmod(kept.subfolder().c_str(), 0770) == 0; },
             "may be written by others"),
      folder("FolderOfAnother", [](Kept &kept) { return giveAway(kept.directory); }, "belongs to user 65534"),
      folder("SymlinkForFolder",
             [](Kept &kept) {
               fs::rename(kept.directory, kept.root + "/elsewhere");
               fs::create_symlink(kept.root + "/elsewhere", kept.directory);
               return true;
             },
             "is a link, or is no folder"),
      folder("FileForFolder",
             [](Kept &kept) {
               fs::remove_all(kept.directory);
               return overwrite(kept.directory, "a file"), true;
             },
             "is a link, or is no folder"),
      folder("FifoForFolder",
             [](Kept &kept) {
               fs::remove_all(kept.directory);
               return mkfifo(kept.directory.c_str(), 0600) == 0;
             },
             "is a link, or is no folder"),
      {"ReadOnlyFolder",
       [](Kept &kept) -> std::string {
         for (const std::string &entry : kept.entries)
           fs::remove(entry);
         std::string before = withoutRights({kept.root, kept.directory, kept.subfolder()});
         return chmod(kept.subfolder().c_str(), 0500) == 0 ? before : "skip";
       },
       "Permission denied"},
      folder("ReadOnlyFileSystem",
             [](Kept &kept) {
               return kept.mounted("size=1m,mode=0700") &&
                      mount("", kept.directory.c_str(), "", MS_REMOUNT | MS_RDONLY, "") == 0;
             },
             "Read-only file system"),
      {"FullDisk",
       [](Kept &kept) -> std::string {
         // The folders of a process, and then no byte is left.
         if (!kept.mounted("size=64k,mode=0700"))
           return "skip";
         if (child(kept.directory, "never 5")["writes"] != 1)
           ADD_FAILURE() << "nothing was kept";
         overwrite(kept.directory + "/filler", std::string(1 << 17, 'x'));
         return {};
       },
       "No space left on device"},
      {"FileLimit", // code lies in a file as well, so this one is for programs without
       [](Kept &kept) -> std::string {
         for (const std::string &entry : kept.entries)
           fs::remove(entry);
         return "ulimit -f 1;";
       },
       "File too large", /*heals=*/false, "never"},
  };
  return all;
}

/// A fault, and the policy of the process that meets it.
class DiskFaults : public Disk, public testing::WithParamInterface<std::tuple<Fault, const char *>> {
protected:
  void TearDown() override {
    umount2(directory().c_str(), MNT_DETACH);
    Disk::TearDown();
  }
};

} // namespace

TEST_P(DiskFaults, CostsACompileAndNothingElse) {
  const auto &[fault, policy] = GetParam();
  const std::string words = std::string(policy) + " " + fault.words + " 0 0 1 1";
  const Answer cold = child(directory(), words);
  EXPECT_EQ(cold.errors, "");
  EXPECT_GT(cold["writes"], 0);
  Kept kept{root_, directory(), entries()};
  const std::string before = fault.make(kept);
  if (before == "skip")
    GTEST_SKIP() << "this machine or user cannot make that fault";
  const Answer faulty = child(directory(), words, before);
  EXPECT_EQ(faulty.bits, cold.bits);
  EXPECT_EQ(faulty["hits"], 0);
  EXPECT_EQ(lineCount(faulty.errors), fault.warning.empty() ? 0u : 1u) << faulty.errors;
  EXPECT_NE(faulty.errors.find(fault.warning), std::string::npos) << faulty.errors;
  if (!fault.heals)
    return;
  EXPECT_EQ(faulty["writes"], cold["writes"]);
  const Answer healed = child(directory(), words);
  EXPECT_EQ(healed.bits, cold.bits);
  EXPECT_EQ(healed.errors, "");
  EXPECT_GT(healed["hits"], 0);
  EXPECT_EQ(healed["misses"] + healed["writes"], 0);
  EXPECT_EQ(healed["llvm"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, DiskFaults,
                         testing::Combine(testing::ValuesIn(faults()), testing::Values("", "background")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (*std::get<1>(info.param) ? "Behind" : "");
                         });

} // namespace tenferro::test
