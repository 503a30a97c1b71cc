#include "watchdog/config/options.hpp"

#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "watchdog/config/command_line.hpp"
#include "watchdog/config/config_file.hpp"
#include "watchdog/config/defaults.hpp"
#include "watchdog/config/option_checks.hpp"
#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

using Assignments = std::vector<Assignment>;
using Problem = std::optional<OptionError>;

bool says_something(const Option& option, std::string_view text) {
  return !text.empty() || option.empty == EmptyText::counts;
}

/// The text of `name`; null if it is not there.
const std::string* find_value(const Environment& environment, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const auto& [key, value] : environment)
    if (key == name) return &value;  // of two entries getenv(3) finds the first
  return nullptr;
}

Assignments environment_assignments(const Environment& environment) {
  Assignments found;
  for (const Option& option : option_table()) {
    if (option.place == Place::flag_only) continue;
    for (const std::string_view spelling : {option.name, option.also}) {
      const std::string* const text = find_value(environment, spelling);
      if (text == nullptr || !says_something(option, *text)) continue;
      found.push_back({&option, std::string(spelling), *text});
      break;  // the first spelling wins
    }
  }
  return found;
}

/// The port that platforms give: `PORT` counts where nobody said `port`.
Assignments platform_port(const Environment& environment) {
  const std::string* const port = find_value(environment, "PORT");
  if (port == nullptr || port->empty()) return {};
  return {{find_option("port"), "PORT", *port}};
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
    if (says_something(*option, entry.value)) found.push_back({option, place + entry.key, entry.value});
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

  const GivenOptions& given() const { return given_; }

  /// `from_environment`: only there the old watchdogs read anything.
  Problem apply(const Assignments& assignments, bool from_environment) {
    for (const Assignment& one : assignments) {
      const Reading reading = one.option->read(invocation_.config, one.text);
      const std::string what = fmt::format("{}={}", one.spelling, in_quotes(one.text));
      if (!reading.problem.empty()) return OptionError{fmt::format("{}: {}", what, reading.problem)};
      if (!reading.warning.empty()) warn(fmt::format("{}: {}", what, reading.warning));
      if (from_environment && !reading.changed.empty()) warn(fmt::format("{} {}", what, reading.changed));
      given_[one.option->name] = what;
    }
    return std::nullopt;
  }

 private:
  void warn(std::string text) { invocation_.warnings.push_back(std::move(text)); }

  Invocation& invocation_;
  GivenOptions given_;
};

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

  if (!reader.given().contains("port"))
    if (const auto problem = reader.apply(platform_port(environment), false)) return *problem;

  const auto warnings = fill_defaults(invocation.config, reader.given(), look_around(environment));
  invocation.warnings.insert(invocation.warnings.end(), warnings.begin(), warnings.end());
  if (line.action == Invocation::Action::healthcheck) return invocation;
  if (const auto problem = check_environment(invocation, environment)) return *problem;
  if (const auto problem = check_settings(invocation, reader.given())) return *problem;
  return invocation;
}

}  // namespace fwd
