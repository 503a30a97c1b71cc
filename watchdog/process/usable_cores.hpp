#pragma once

#include <cstddef>
#include <string_view>

namespace fwd {

/// How many processes can run at the same time: the processors that we may use, and no more than the CPU quota of our
/// control group, rounded up. At least 1.
std::size_t usable_cores();

/// Processors that a quota allows, rounded up; 0 for no limit. `text` is a cpu.max of cgroup v2, such as `150000 100000`.
std::size_t cores_of_quota(std::string_view text);

}  // namespace fwd
