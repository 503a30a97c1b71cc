#include "bench/body_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "watchdog/base/fd.hpp"

namespace fwd::bench {

Result<std::string> read_body_file(const std::string& path) {
  constexpr std::size_t kReadBytes = 256 * 1024;  // one call for most bodies
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error(errno);
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kReadBytes);
    const ssize_t count = ::read(file.get(), bytes.data() + before, kReadBytes);
    bytes.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno);
    if (count == 0) return bytes;
  }
}

}  // namespace fwd::bench
