#pragma once

#include <string_view>

namespace fwd::bench {

/// The project's version, from CMake.
std::string_view version();

}  // namespace fwd::bench
