#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watchdog/base/error.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd {

/// A moment of the file system.
struct FileTime {
  std::int64_t seconds = 0;  // since 1970
  std::uint32_t nanoseconds = 0;
};

/// What a path names. A file is `size` bytes of `fd` from `offset` on; nothing else of `fd` is the client's business.
struct FoundFile {
  enum class Kind { file, folder };
  Kind kind = Kind::file;
  UniqueFd own{};  // open for this request alone; none if the source keeps one open for all
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  FileTime modified{};
  std::uint64_t identity = 0;  // differs between two files of the same size and time
};

/// One name in a folder.
struct FolderEntry {
  std::string name;
  bool folder = false;
};

/// More than this of a folder is not listed.
inline constexpr std::size_t kMostListed = 10'000;

/// Where static mode has its files from.
class FileSource {
 public:
  virtual ~FileSource() = default;

  /// Looks up a path as decode_path() gives it: relative, empty for the root.
  /// Errors: the system's. ENOENT also for what is neither file nor folder.
  virtual Result<FoundFile> find(const std::string& path) const = 0;

  /// What a client can ask for in the folder `path`: no hidden names, no links that lead nowhere. Sorted by bytes, at
  /// most kMostListed.
  virtual Result<std::vector<FolderEntry>> list(const std::string& path) const = 0;
};

}  // namespace fwd
