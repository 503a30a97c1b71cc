#include "watchdog/config/option_checks.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

using Problem = std::optional<OptionError>;

constexpr nanoseconds kZero = nanoseconds::zero();

/// Images set these for whichever watchdog they get, which always ignored what its mode did not know.
constexpr std::string_view kOldNames[] = {
    "afterburn",   "fast_fork",     "content_type", "cgi_headers", "marshal_request",   "combine_output",
    "write_debug", "debug_headers", "buffer_http",  "static_path", "http_upstream_url", "http_buffer_req_body"};

bool is_old(std::string_view name) {
  return std::find(std::begin(kOldNames), std::end(kOldNames), name) != std::end(kOldNames);
}

/// How an option was given, or its name if it was left alone.
std::string spelt(const GivenOptions& given, std::string_view name) {
  const auto found = given.find(name);
  return found == given.end() ? std::string(name) : found->second;
}

Problem check_function(const Invocation& invocation) {
  const Config& config = invocation.config;
  const bool none = config.fprocess.empty() && invocation.function_argv.empty();
  if (!none || config.mode == ModeName::static_files) return std::nullopt;
  return OptionError{R"(provide a "function_process" or "fprocess" environmental variable for your function)"};
}

/// Two of the texts are of-watchdog's.
Problem check_mode(const Config& config, const GivenOptions& given) {
  if (config.mode == ModeName::http && config.upstream_url.empty())
    return OptionError{R"(For "mode=http" you must specify a valid URL for "http_upstream_url")"};
  if (config.mode == ModeName::static_files && config.static_path.empty() && config.static_archive.empty())
    return OptionError{R"(For mode=static you must specify the "static_path" to serve)"};
  if (config.prefork > 0 && config.cgi_headers && has_effect(Group::per_request, config.mode))
    return OptionError{
        fmt::format("{} needs cgi_headers=false: a child that starts before its request cannot have "
                    "variables of it",
                    spelt(given, "prefork"))};
  return std::nullopt;
}

Problem check_metrics_path(const Config& config, const GivenOptions& given) {
  if (config.metrics_path != "/_/health" && config.metrics_path != "/_/ready") return std::nullopt;
  return OptionError{fmt::format("{}: the watchdog answers something else there", spelt(given, "metrics_path"))};
}

Problem check_write_timeout(const Config& config, const GivenOptions& given) {
  if (config.write_timeout > kZero || config.mode == ModeName::classic) return std::nullopt;
  return OptionError{fmt::format("{}: HTTP write timeout must be over 0s", spelt(given, "write_timeout"))};
}

void warn_of_short_write_timeout(const Config& config, std::vector<std::string>& warnings) {
  if (config.write_timeout == kZero || config.write_timeout >= config.exec_timeout) return;
  warnings.push_back(
      fmt::format("write_timeout ({}) is shorter than exec_timeout ({}): a slow request is answered 504 "
                  "before the function's own limit",
                  to_go_string(config.write_timeout), to_go_string(config.exec_timeout)));
}

void warn_of_idle_options(ModeName mode, const GivenOptions& given, std::vector<std::string>& warnings) {
  for (const Option& option : option_table()) {
    if (!given.contains(option.name) || has_effect(option.group, mode) || is_old(option.name)) continue;
    warnings.push_back(fmt::format("{} has no effect in mode {}", spelt(given, option.name), to_string(mode)));
  }
}

}  // namespace

Problem check_settings(Invocation& invocation, const GivenOptions& given) {
  const Config& config = invocation.config;
  if (auto problem = check_function(invocation)) return problem;
  if (auto problem = check_mode(config, given)) return problem;
  if (auto problem = check_write_timeout(config, given)) return problem;
  if (auto problem = check_metrics_path(config, given)) return problem;
  warn_of_short_write_timeout(config, invocation.warnings);
  warn_of_idle_options(config.mode, given, invocation.warnings);
  return std::nullopt;
}

Problem check_environment(Invocation& invocation, const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (name.empty()) invocation.warnings.push_back(fmt::format("Bad environment: {}", value));  // of-watchdog's line
    if (name != "jwt_auth" || value.empty()) continue;
    const auto wanted = parse_boolean(value);
    if (!wanted || *wanted)  // a text that somebody may mean as true is not taken for false
      return OptionError{
          fmt::format("jwt_auth={}: not built yet, and without it nothing would be protected", in_quotes(value))};
  }
  return std::nullopt;
}

}  // namespace fwd
