// Opening by descriptor and then looking at what was opened, so that nothing can be exchanged in between.
#include "runtime/cache/DiskFolder.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenferro::runtime {

OpenFile::~OpenFile() {
  if (number_ >= 0)
    close(number_);
}

namespace {

/// Empty if the file is this user's own.
std::string strangeness(const struct stat &status) {
  if (status.st_uid != geteuid())
    return "belongs to user " + std::to_string(status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "may be written by others";
  return {};
}

Opened checked(int number, mode_t kind) {
  Opened opened;
  opened.error = number < 0 ? errno : 0;
  opened.file = OpenFile(number);
  struct stat status{};
  if (number >= 0 && fstat(number, &status) != 0)
    opened.error = errno;
  if (opened.error == ELOOP || opened.error == ENXIO) { // a link, a socket
    opened.error = 0;
    opened.wrong = "is a link or no plain file";
  } else if (opened.error == ENOTDIR && kind == S_IFDIR) {
    opened.error = 0;
    opened.wrong = "is a link, or is no folder";
  }
  if (opened.error || !opened.wrong.empty())
    return opened;
  opened.wrong = (status.st_mode & S_IFMT) != kind ? "is no plain file" : strangeness(status);
  opened.bytes = static_cast<uint64_t>(status.st_size);
  return opened;
}

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void makeParents(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700); // what is there already stays as it is
}

} // namespace

Opened openFolder(const std::string &path, bool create) {
  int number = open(path.c_str(), kFolderFlags);
  if (number < 0 && errno == ENOENT && create) {
    makeParents(path);
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      Opened opened;
      opened.error = errno;
      return opened;
    }
    number = open(path.c_str(), kFolderFlags);
  }
  return checked(number, S_IFDIR);
}

Opened openSubfolder(int parent, const std::string &name, bool create) {
  int number = openat(parent, name.c_str(), kFolderFlags);
  if (number < 0 && errno == ENOENT && create) {
    if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
      Opened opened;
      opened.error = errno;
      return opened;
    }
    number = openat(parent, name.c_str(), kFolderFlags);
  }
  return checked(number, S_IFDIR);
}

Opened openEntry(int folder, const std::string &name) {
  // Without O_NONBLOCK a fifo would wait for a writer.
  return checked(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), S_IFREG);
}

void forEachFile(int folder, bool folders, const std::function<bool(FolderFile &)> &visit) {
  int number = openat(folder, ".", kFolderFlags); // with a position of its own
  DIR *list = number < 0 ? nullptr : fdopendir(number);
  if (!list) {
    OpenFile unused(number);
    return;
  }
  while (dirent *next = readdir(list)) {
    FolderFile file;
    file.name = next->d_name;
    struct stat status{};
    if (file.name == "." || file.name == ".." || fstatat(folder, next->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        (status.st_mode & S_IFMT) != (folders ? S_IFDIR : S_IFREG))
      continue;
    file.bytes = static_cast<uint64_t>(status.st_size);
    file.seconds = status.st_mtim.tv_sec;
    file.nanoseconds = status.st_mtim.tv_nsec;
    if (!visit(file))
      break;
  }
  closedir(list);
}

} // namespace tenferro::runtime
