#pragma once

#include <sys/types.h>

#include <string>

#include "watchdog/base/fd.hpp"

namespace fwd {

/// The file that old health checks look for. It holds our pid, and a lock tells whose it is: an instance that finds one
/// of a living neighbour leaves it alone, and the kernel lets go of it with its owner.
class LockFile {
 public:
  explicit LockFile(std::string path) : path_(std::move(path)) {}
  ~LockFile() { remove(); }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Creates the file, and its directory if need be; takes over what a dead instance left.
  /// Errors: of the file system. None if a neighbour owns the file; then owned() is false.
  Error create();

  /// Removes the file if it is ours.
  void remove();

  /// Takes the file if a neighbour had it and has gone.
  void take_over();

  bool owned() const { return static_cast<bool>(fd_); }

  /// False if the file was ours and somebody took it away.
  bool intact() const;

  const std::string& path() const { return path_; }

 private:
  Error try_create();
  Error write_pid();

  std::string path_;
  UniqueFd fd_;       // holds the lock while the file is ours
  ino_t inode_ = 0;   // of our file, to see whether it is still the one at path_
  dev_t device_ = 0;
  bool wanted_ = false;
};

/// Where the lock file is: `.lock` in `directory`.
std::string lock_path(const std::string& directory);

}  // namespace fwd
