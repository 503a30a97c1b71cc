#include "watchdog/base/fd.hpp"

#include <fcntl.h>

#include <cerrno>

namespace fwd {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error(errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace fwd
