#include "watchdog/config/defaults.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace fwd {
namespace {

// The rest of the descriptors is for workers' pipes, spool files and the log.
constexpr std::size_t kClientPercent = 80;

// A limit of "unlimited" or of a billion (some container engines) is no reason to let a billion clients in.
constexpr std::size_t kMostConnections = 1'000'000;

std::size_t default_connections(std::size_t descriptor_limit) {
  const std::size_t share = std::min(descriptor_limit, kMostConnections) * kClientPercent / 100;
  return std::max<std::size_t>(share, 1);
}

/// Serializing, http and classic always had X-Duration-Seconds, the others never.
bool had_duration_header(ModeName mode) {
  return mode == ModeName::serializing || mode == ModeName::http || mode == ModeName::classic;
}

}  // namespace

Surroundings look_around(const Environment& environment) {
  Surroundings found;
  for (const auto& [name, value] : environment) {
    if (value.empty()) continue;
    if (name == "KUBERNETES_SERVICE_HOST") found.in_kubernetes = true;
    if (name == "TMPDIR") found.temporary_directory = value;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) found.descriptor_limit = limit.rlim_cur;
  return found;
}

void fill_defaults(Config& config, const std::vector<std::string_view>& given, const Surroundings& surroundings) {
  const auto left_alone = [&given](std::string_view name) {
    return std::find(given.begin(), given.end(), name) == given.end();
  };
  constexpr nanoseconds kZero = nanoseconds::zero();
  config.read_timeout = std::max(config.read_timeout, kZero);  // below zero Go has no limit either
  if (left_alone("mode") && config.is_old_image()) config.mode = ModeName::afterburn;
  if (left_alone("afterburn_workers") && config.is_old_image()) config.afterburn_workers = 1;
  if (left_alone("keepalive_timeout")) config.keepalive_timeout = config.read_timeout;
  if (left_alone("healthcheck_interval"))
    config.healthcheck_interval = surroundings.in_kubernetes ? config.write_timeout : kZero;
  config.healthcheck_interval = std::max(config.healthcheck_interval, kZero);
  if (left_alone("shutdown_timeout")) config.shutdown_timeout = config.healthcheck_interval + config.write_timeout;
  if (left_alone("duration_header")) config.duration_header = had_duration_header(config.mode);
  if (left_alone("max_connections")) config.max_connections = default_connections(surroundings.descriptor_limit);
  config.lock_directory = surroundings.temporary_directory;
}

}  // namespace fwd
