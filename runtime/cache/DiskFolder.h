// Files and folders that are the user's own, or are not touched.
#ifndef TENFERRO_RUNTIME_CACHE_DISKFOLDER_H
#define TENFERRO_RUNTIME_CACHE_DISKFOLDER_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace tenferro::runtime {

/// A file descriptor, closed at the end.
class OpenFile {
public:
  explicit OpenFile(int number = -1) noexcept : number_(number) {}
  OpenFile(OpenFile &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile &operator=(OpenFile &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OpenFile();
  int number() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }
  explicit operator bool() const noexcept { return number_ >= 0; }

private:
  int number_;
};

/// A folder or a file, or why not: `error` is an errno, or 0 with `wrong`.
struct Opened {
  OpenFile file;
  int error = 0;
  std::string wrong;  ///< "is a link", "belongs to user 1000", ...
  uint64_t bytes = 0; ///< of a file
};

/// Opens the folder `path`, which must belong to this user, be writable by nobody else and be no link. `create` makes
/// it and what it lies in, for this user alone.
Opened openFolder(const std::string &path, bool create);
/// The same for a folder `name` of an open one.
Opened openSubfolder(int parent, const std::string &name, bool create);
/// Opens the regular file `name` to read it; the same rules. Does not wait for anything, whatever it is.
Opened openEntry(int folder, const std::string &name);

/// A file of a folder.
struct FolderFile {
  std::string name;
  uint64_t bytes = 0;
  int64_t seconds = 0, nanoseconds = 0; ///< when it was last touched
};
/// Visits the regular files of an open folder, or the folders in it, until `visit` says no. What vanishes meanwhile is
/// left out.
void forEachFile(int folder, bool folders, const std::function<bool(FolderFile &)> &visit);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_DISKFOLDER_H
