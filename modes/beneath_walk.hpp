#pragma once

#include <string>

#include "watchdog/base/error.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd {

/// What Beneath::open() does where there is no openat2: walks down from the folder `root`, one component after the
/// other, follows no link but reads it, and keeps every folder on the way open, so that `..` leads back to where it
/// came from, whoever moves folders meanwhile.
/// Limits: 40 links, and one descriptor for each folder on the way.
/// Errors: as Beneath::open().
Result<UniqueFd> open_by_walking(int root, const std::string& path);

}  // namespace fwd
