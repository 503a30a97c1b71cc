#pragma once

#include <string_view>
#include <vector>

#include "watchdog/config/config.hpp"
#include "watchdog/config/options.hpp"

namespace fwd {

/// What the machine around the watchdog tells; defaults hang on it.
struct Surroundings {
  bool in_kubernetes = false;  // KUBERNETES_SERVICE_HOST is set
  std::string temporary_directory = "/tmp";
  std::size_t descriptor_limit = 1024;  // RLIMIT_NOFILE
};

Surroundings look_around(const Environment& environment);

/// Fills the settings that were left alone and hang on others. `given` has the table's names of those that were not.
void fill_defaults(Config& config, const std::vector<std::string_view>& given, const Surroundings& surroundings);

}  // namespace fwd
