#pragma once

#include <cstddef>
#include <cstdint>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Reads exactly `size` bytes of a file from `offset` on, and does not move the descriptor's own place.
/// Errors: the system's; ENODATA if the file ends before.
Error read_at(int fd, char* out, std::size_t size, std::uint64_t offset);

}  // namespace fwd
