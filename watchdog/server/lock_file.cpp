#include "watchdog/server/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace fwd {
namespace {
constexpr int kTries = 8;
}  // namespace

Error LockFile::create() {
  wanted_ = true;
  for (int tries = 0; tries < kTries; ++tries) {
    const Error error = try_create();
    if (error || !fd_ || intact()) return error;
    fd_.reset();  // its last owner removed it just before we locked it
  }
  return system_error(EAGAIN);
}

void LockFile::take_over() {
  if (wanted_ && !fd_) (void)create();  // a neighbour's, still, or trouble that the next look finds again
}

Error LockFile::try_create() {
  std::error_code ignored;  // open() below says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660));
  if (!fd) return system_error(errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? Error{} : system_error(errno);
  fd_ = std::move(fd);
  const Error error = write_pid();
  if (error) remove();  // no half-written lock
  return error;
}

Error LockFile::write_pid() {
  struct stat ours;
  if (::fstat(fd_.get(), &ours) != 0) return system_error(errno);
  inode_ = ours.st_ino;
  device_ = ours.st_dev;
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_.get(), 0) != 0) return system_error(errno);
  const ssize_t written = ::pwrite(fd_.get(), pid.data(), pid.size(), 0);
  if (written == static_cast<ssize_t>(pid.size())) return {};
  return system_error(written < 0 ? errno : ENOSPC);
}

bool LockFile::intact() const {
  if (!fd_) return true;
  struct stat there;
  return ::stat(path_.c_str(), &there) == 0 && there.st_ino == inode_ && there.st_dev == device_;
}

void LockFile::remove() {
  wanted_ = false;
  if (fd_ && intact()) (void)::unlink(path_.c_str());  // a lock that stays is taken over by the next instance
  fd_.reset();
}

std::string lock_path(const std::string& directory) { return directory + "/.lock"; }

}  // namespace fwd
