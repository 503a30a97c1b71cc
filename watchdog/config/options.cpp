#include "watchdog/config/options.hpp"

#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "watchdog/config/command_line.hpp"
#include "watchdog/config/config_file.hpp"
#include "watchdog/config/defaults.hpp"
#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

using Assignments = std::vector<Assignment>;
using Problem = std::optional<OptionError>;

std::string_view find_value(const Environment& environment, std::string_view name) {
  for (const auto& [key, value] : environment)
    if (key == name) return value;  // of two entries getenv(3) finds the first
  return {};
}

Assignments environment_assignments(const Environment& environment) {
  Assignments found;
  for (const Option& option : option_table()) {
    if (option.place == Place::flag_only) continue;
    const std::string_view first = find_value(environment, option.name);
    const bool second = first.empty() && !option.also.empty();
    const std::string_view value = second ? find_value(environment, option.also) : first;
    if (!value.empty()) found.push_back({&option, std::string(second ? option.also : option.name), std::string(value)});
  }
  return found;
}

std::variant<Assignments, OptionError> file_assignments(const std::string& path) {
  const auto file = read_config_file(path);
  if (const auto* error = std::get_if<OptionError>(&file)) return *error;
  Assignments found;
  for (const FileEntry& entry : std::get<0>(file)) {
    const std::string place = fmt::format("{}:{}: ", path, entry.line);
    const Option* const option = find_option(entry.key);
    if (option == nullptr) {
      const std::string_view nearest = nearest_option(entry.key);
      const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
      return OptionError{fmt::format("{}unknown option {}{}", place, in_quotes(entry.key), hint)};
    }
    if (option->place == Place::flag_only) return OptionError{fmt::format("{}{} is a flag only", place, option->name)};
    if (!entry.value.empty()) found.push_back({option, place + entry.key, entry.value});
  }
  return found;
}

/// The path that `--config` names last, or nothing.
std::string config_path(const Assignments& flags) {
  std::string path;
  for (const Assignment& flag : flags)
    if (flag.option->place == Place::flag_only) path = flag.text;
  return path;
}

/// Collects what the sources say, the weakest first.
class Reader {
 public:
  explicit Reader(Invocation& invocation) : invocation_(invocation) {}

  const std::vector<std::string_view>& given() const { return given_; }

  /// `from_environment`: only there the old watchdogs read anything.
  Problem apply(const Assignments& assignments, bool from_environment) {
    for (const Assignment& one : assignments) {
      const Reading reading = one.option->read(invocation_.config, one.text);
      const std::string what = fmt::format("{}={}", one.spelling, in_quotes(one.text));
      if (!reading.problem.empty()) return OptionError{fmt::format("{}: {}", what, reading.problem)};
      if (!reading.warning.empty()) warn(fmt::format("{}: {}", what, reading.warning));
      if (from_environment && !reading.changed.empty())
        warn(fmt::format("{} is read as {}; of-watchdog read it as {}", what,
                         reading.changed == "true" ? "false" : "true", reading.changed));
      given_.push_back(one.option->name);
    }
    return std::nullopt;
  }

 private:
  void warn(std::string text) { invocation_.warnings.push_back(std::move(text)); }

  Invocation& invocation_;
  std::vector<std::string_view> given_;
};

/// Settings of the old watchdogs whose absence a user should hear of; the others belong to modes that say so
/// themselves. Without authentication nothing is served that was asked to be protected.
Problem check_missing(const Environment& environment, std::vector<std::string>& warnings) {
  for (const auto& [name, value] : environment)
    if (name.empty()) warnings.push_back(fmt::format("Bad environment: {}", value));  // of-watchdog's line
  const std::string_view jwt = find_value(environment, "jwt_auth");
  if (jwt == "true" || jwt == "1")
    return OptionError{fmt::format("jwt_auth={}: not built yet, and without it nothing would be protected", in_quotes(jwt))};
  const std::string_view ready = find_value(environment, "ready_path");
  if (!ready.empty())
    warnings.push_back(
        fmt::format("ready_path={} is not built yet: /_/ready does not ask the function", in_quotes(ready)));
  return std::nullopt;
}

bool needs_function(ModeName mode) {
  return mode != ModeName::static_files && mode != ModeName::inproc;
}

/// What only all settings together can show.
Problem check(const Invocation& invocation, std::vector<std::string>& warnings) {
  const Config& config = invocation.config;
  if (config.fprocess.empty() && invocation.function_argv.empty() && needs_function(config.mode))
    return OptionError{R"(provide a "function_process" or "fprocess" environmental variable for your function)"};
  if (config.write_timeout < config.exec_timeout)
    warnings.push_back(
        fmt::format("write_timeout ({}) is shorter than exec_timeout ({}): a slow request is answered 504 "
                    "before the function's own limit",
                    to_go_string(config.write_timeout), to_go_string(config.exec_timeout)));
  return std::nullopt;
}

}  // namespace

Environment split_environment(const char* const* entries) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
      environment.emplace_back("", entry);
    else
      environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

std::variant<Invocation, OptionError> read_options(std::span<const char* const> arguments,
                                                   const Environment& environment) {
  auto parsed = parse_command_line(arguments);
  if (const auto* error = std::get_if<OptionError>(&parsed)) return *error;
  CommandLine& line = std::get<CommandLine>(parsed);

  Invocation invocation;
  invocation.action = line.action;
  if (line.action == Invocation::Action::help || line.action == Invocation::Action::version) return invocation;
  invocation.function_argv = std::move(line.function_argv);
  invocation.warnings = std::move(line.warnings);

  Reader reader(invocation);
  if (const std::string path = config_path(line.flags); !path.empty()) {
    const auto file = file_assignments(path);
    if (const auto* error = std::get_if<OptionError>(&file)) return *error;
    if (const auto problem = reader.apply(std::get<Assignments>(file), false)) return *problem;
  }
  if (const auto problem = reader.apply(environment_assignments(environment), true)) return *problem;
  if (const auto problem = reader.apply(line.flags, false)) return *problem;

  fill_defaults(invocation.config, reader.given(), look_around(environment));
  if (line.action == Invocation::Action::healthcheck) return invocation;
  if (const auto problem = check_missing(environment, invocation.warnings)) return *problem;
  if (const auto problem = check(invocation, invocation.warnings)) return *problem;
  return invocation;
}

}  // namespace fwd
