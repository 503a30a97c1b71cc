#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "watchdog/config/option_table.hpp"
#include "watchdog/config/options.hpp"

namespace fwd {

/// An option that somebody gave a text to.
struct Assignment {
  const Option* option = nullptr;  // a row of option_table(), so it lives as long as the program
  std::string spelling;            // how messages name it: `port`, `--port`, `settings.yaml:3: port`
  std::string text;                // empty only where an empty text counts
};

struct CommandLine {
  std::vector<Assignment> flags;
  Invocation::Action action = Invocation::Action::serve;
  std::vector<std::string> function_argv;
  std::vector<std::string> warnings;
};

/// Reads flags as Go's flag package does (one dash or two, `--name value` or `--name=value`), and dashes in names as
/// underscores. A boolean may stand alone. Words that belong to no flag are ignored with a warning, as before.
/// Errors: an unknown flag, with the nearest name; a flag without its value.
/// Source: watchdog-contract 1.1.
std::variant<CommandLine, OptionError> parse_command_line(std::span<const char* const> arguments);

}  // namespace fwd
