#pragma once

#include <string>
#include <vector>

#include "watchdog/config/config.hpp"
#include "watchdog/config/given_options.hpp"
#include "watchdog/config/options.hpp"

namespace fwd {

/// What the machine around the watchdog tells; defaults hang on it.
struct Surroundings {
  bool in_kubernetes = false;  // KUBERNETES_SERVICE_HOST is set
  bool in_knative = false;     // K_SERVICE is set: Knative, Cloud Run
  std::string temporary_directory = "/tmp";
  std::size_t descriptor_limit = 1024;  // RLIMIT_NOFILE
};

Surroundings look_around(const Environment& environment);

/// Fills the settings that were left alone and hang on others, and shortens the end where the platform kills.
/// Returns a warning for each setting that was given and is not kept.
[[nodiscard]] std::vector<std::string> fill_defaults(Config& config, const GivenOptions& given,
                                                     const Surroundings& surroundings);

}  // namespace fwd
