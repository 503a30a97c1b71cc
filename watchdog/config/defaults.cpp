#include "watchdog/config/defaults.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace fwd {
namespace {

// The rest of the descriptors is for workers' pipes, spool files and the log.
constexpr std::size_t kClientPercent = 80;

// A limit of "unlimited" or of a billion (some container engines) is no reason to let a billion clients in.
constexpr std::size_t kMostConnections = 1'000'000;

constexpr nanoseconds kLongestKnativeEnd = seconds(10);  // Cloud Run: from SIGTERM to SIGKILL

constexpr nanoseconds kZero = nanoseconds::zero();

std::size_t default_connections(std::size_t descriptor_limit) {
  const std::size_t share = std::min(descriptor_limit, kMostConnections) * kClientPercent / 100;
  return std::max<std::size_t>(share, 1);
}

/// Serializing, http and classic always had X-Duration-Seconds, the others never.
bool had_duration_header(ModeName mode) {
  return mode == ModeName::serializing || mode == ModeName::http || mode == ModeName::classic;
}

/// What classic-watchdog did unless it was told otherwise. Below zero Go has no limit either.
void fill_classic(Config& config, const GivenOptions& given) {
  if (!given.contains("exec_timeout")) config.exec_timeout = kZero;
  if (!given.contains("content_type")) config.content_type.clear();
  config.write_timeout = std::max(config.write_timeout, kZero);
}

nanoseconds default_interval(const Config& config, const Surroundings& surroundings) {
  const bool probed = surroundings.in_kubernetes && !surroundings.in_knative;  // Knative takes us out before SIGTERM
  return probed ? config.write_timeout : kZero;
}

nanoseconds default_end(const Config& config) {
  const nanoseconds longest_request = config.write_timeout > kZero ? config.write_timeout : Config{}.write_timeout;
  return config.healthcheck_interval + longest_request;
}

std::vector<std::string> shorten_end(Config& config, const GivenOptions& given) {
  if (config.shutdown_timeout <= kLongestKnativeEnd) return {};
  config.shutdown_timeout = kLongestKnativeEnd;
  const auto said = given.find("shutdown_timeout");
  if (said == given.end()) return {};
  return {said->second + " is cut to 10s: K_SERVICE is set, and Cloud Run kills what takes longer"};
}

}  // namespace

Surroundings look_around(const Environment& environment) {
  Surroundings found;
  for (const auto& [name, value] : environment) {
    if (value.empty()) continue;
    if (name == "KUBERNETES_SERVICE_HOST") found.in_kubernetes = true;
    if (name == "K_SERVICE") found.in_knative = true;
    if (name == "TMPDIR") found.temporary_directory = value;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) found.descriptor_limit = limit.rlim_cur;
  return found;
}

std::vector<std::string> fill_defaults(Config& config, const GivenOptions& given, const Surroundings& surroundings) {
  const auto left_alone = [&given](std::string_view name) { return !given.contains(name); };
  if (left_alone("mode") && config.is_old_image()) config.mode = ModeName::afterburn;
  if (left_alone("afterburn_workers") && config.is_old_image()) config.afterburn_workers = 1;
  if (left_alone("duration_header")) config.duration_header = had_duration_header(config.mode);
  if (left_alone("max_connections")) config.max_connections = default_connections(surroundings.descriptor_limit);
  if (config.buffer_http) config.http_buffer_req_body = true;
  if (config.mode == ModeName::classic) fill_classic(config, given);
  config.lock_directory = surroundings.temporary_directory;

  config.read_timeout = std::max(config.read_timeout, kZero);  // below zero Go has no limit either
  if (left_alone("keepalive_timeout")) config.keepalive_timeout = config.read_timeout;
  if (left_alone("healthcheck_interval")) config.healthcheck_interval = default_interval(config, surroundings);
  config.healthcheck_interval = std::max(config.healthcheck_interval, kZero);
  if (left_alone("shutdown_timeout")) config.shutdown_timeout = default_end(config);
  return surroundings.in_knative ? shorten_end(config, given) : std::vector<std::string>{};
}

}  // namespace fwd
