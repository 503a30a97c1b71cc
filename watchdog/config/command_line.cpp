#include "watchdog/config/command_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace fwd {
namespace {

using Action = Invocation::Action;

/// One argument that is a flag: `--name=value` in its parts.
struct Flag {
  std::string_view name;
  std::optional<std::string_view> value;
};

std::optional<Flag> as_flag(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '-') return std::nullopt;
  argument.remove_prefix(argument[1] == '-' ? 2 : 1);
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return Flag{argument, std::nullopt};
  return Flag{argument.substr(0, equals), argument.substr(equals + 1)};
}

/// The flags that are no options: what to do instead of serving.
std::optional<Action> as_action(std::string_view name) {
  if (name == "h" || name == "help") return Action::help;
  if (name == "version") return Action::version;
  if (name == "run-healthcheck" || name == "run_healthcheck") return Action::healthcheck;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::span<const char* const> arguments) : rest_(arguments) {}

  std::variant<CommandLine, OptionError> parse() {
    while (!rest_.empty()) {
      const std::string_view argument = take();
      if (argument == "--") {
        line_.function_argv.assign(rest_.begin(), rest_.end());
        break;
      }
      const auto flag = as_flag(argument);
      if (!flag) {
        line_.warnings.push_back(
            fmt::format("{} is ignored: it is no option; the function's command goes after --", in_quotes(argument)));
      } else if (const std::string problem = apply(*flag); !problem.empty()) {
        return OptionError{problem};
      }
    }
    return std::move(line_);
  }

 private:
  std::string_view take() {
    const std::string_view argument = rest_.front();
    rest_ = rest_.subspan(1);
    return argument;
  }

  /// Gives the problem, or nothing.
  std::string apply(const Flag& flag) {
    if (const auto action = as_action(flag.name)) return apply_action(flag, *action);
    const Option* const option = find_option(flag.name);
    if (option == nullptr) return unknown(flag.name);
    const auto value = flag.value ? flag.value : value_that_follows(*option);
    if (!value) return fmt::format("--{} needs a value", flag.name);
    if (value->empty() && option->empty == EmptyText::unset) return {};
    line_.flags.push_back({option, fmt::format("--{}", flag.name), std::string(*value)});
    return {};
  }

  std::string apply_action(const Flag& flag, Action action) {
    const auto wanted = parse_boolean(flag.value.value_or("true"));  // Go reads -version=false as absent
    if (!wanted) return fmt::format("--{}={}: not a boolean", flag.name, in_quotes(*flag.value));
    if (*wanted) line_.action = std::max(line_.action, action);  // help before version before healthcheck
    return {};
  }

  std::optional<std::string_view> value_that_follows(const Option& option) {
    const bool another = !rest_.empty() && std::string_view(rest_.front()) != "--";
    if (option.kind != Kind::boolean) return another ? std::optional(take()) : std::nullopt;
    return another && parse_boolean(rest_.front()) ? take() : "true";
  }

  static std::string unknown(std::string_view name) {
    const std::string_view nearest = nearest_option(name);
    const std::string flag = in_quotes(fmt::format("--{}", name));
    return nearest.empty() ? fmt::format("unknown flag {}; --help lists them", flag)
                           : fmt::format("unknown flag {}; did you mean --{}?", flag, nearest);
  }

  std::span<const char* const> rest_;
  CommandLine line_;
};

}  // namespace

std::variant<CommandLine, OptionError> parse_command_line(std::span<const char* const> arguments) {
  return Parser(arguments).parse();
}

}  // namespace fwd
