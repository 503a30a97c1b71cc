#pragma once

#include <string>

#include "watchdog/base/error.hpp"

namespace fwd::bench {

/// Reads a whole file, or what a pipe gives up to its end. Blocks.
/// Errors: what open and read say.
Result<std::string> read_body_file(const std::string& path);

}  // namespace fwd::bench
