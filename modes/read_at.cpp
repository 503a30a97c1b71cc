#include "modes/read_at.hpp"

#include <cerrno>
#include <unistd.h>

namespace fwd {

Error read_at(int fd, char* out, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t count = ::pread(fd, out, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return system_error(count == 0 ? ENODATA : errno);
    out += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

}  // namespace fwd
