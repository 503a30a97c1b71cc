#include "modes/beneath.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "modes/beneath_walk.hpp"

namespace fwd {
namespace {

const std::string kHere = ".";
constexpr int kMostTries = 16;  // EAGAIN: something was renamed while a `..` was being followed, openat2(2)

/// The C library has no wrapper. -1 and errno on failure.
int open_beneath(int root, const char* path) {
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int tries = 0; tries < kMostTries; ++tries) {
    fd = ::syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return static_cast<int>(fd);
}

/// Old kernels have no openat2, and seccomp profiles that are older than it refuse it.
bool has_openat2(int root) {
  const UniqueFd again(open_beneath(root, "."));
  return again || (errno != ENOSYS && errno != EPERM);
}

}  // namespace

Result<Beneath> Beneath::open_root(const std::string& root, Way way) {
  UniqueFd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return system_error(errno);
  if (way == Way::best && !has_openat2(folder.get())) way = Way::walk;
  return Beneath(std::move(folder), way);
}

Result<UniqueFd> Beneath::open(const std::string& path) const {
  const std::string& name = path.empty() ? kHere : path;
  if (way_ == Way::walk) return open_by_walking(root_.get(), name);
  UniqueFd file(open_beneath(root_.get(), name.c_str()));
  if (file) return file;
  if (errno == EAGAIN) return open_by_walking(root_.get(), name);  // it knows no such race
  return system_error(errno);
}

}  // namespace fwd
