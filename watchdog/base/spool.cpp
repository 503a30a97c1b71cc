#include "watchdog/base/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace fwd {

Error Spool::append(std::string_view bytes) {
  if (!file_ && memory_.size() + bytes.size() > options_->memory_bytes) {
    if (const Error error = open_file()) return error;
  }
  if (file_) {
    if (const Error error = write_file(bytes)) return error;
  } else {
    memory_.append(bytes);
  }
  size_ += bytes.size();
  return {};
}

void Spool::clear() {
  memory_.clear();
  file_.reset();
  size_ = 0;
}

Error Spool::open_file() {
  const std::string& directory = options_->directory;
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {  // file systems without O_TMPFILE
    std::string name = directory + "/fwatchdog-body-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) (void)::unlink(name.c_str());  // it stays readable through fd; a name left behind harms nobody
  }
  if (fd < 0) return system_error(errno);
  file_ = UniqueFd(fd);
  const Error error = write_file(memory_);
  memory_.clear();
  return error;
}

Error Spool::write_file(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return system_error(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string_view> Spool::read(std::uint64_t offset, std::size_t limit) {
  if (!file_) return std::string_view(memory_).substr(std::min<std::uint64_t>(offset, memory_.size()), limit);
  memory_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(limit, size_ - std::min(offset, size_))));
  std::size_t have = 0;
  while (have < memory_.size()) {
    const ssize_t count =
        ::pread(file_.get(), memory_.data() + have, memory_.size() - have, static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return system_error(count < 0 ? errno : EIO);
    have += static_cast<std::size_t>(count);
  }
  return std::string_view(memory_);
}

}  // namespace fwd
