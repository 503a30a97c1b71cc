#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "watchdog/config/config.hpp"

namespace fwd {

/// Name and value, as execve(2) hands them over. An entry without `=` has an empty name.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Splits `environ`: a list of texts that ends with a null pointer.
Environment split_environment(const char* const* entries);

/// What the command line, the environment and the file ask for.
struct Invocation {
  enum class Action { serve, healthcheck, version, help };  // of several, the last in this order

  Config config;
  Action action = Action::serve;
  std::vector<std::string> function_argv;  // what stands after `--`; when not empty, `config.fprocess` does not count
  std::vector<std::string> warnings;       // one line each, for the log
};

/// Why the watchdog cannot start: one line that names the option and the value, and `file:line` for a file. Exit 64.
struct OptionError {
  std::string text;
};

/// Reads every option: flag before environment before file before default.
/// Shape:  `arguments` is argv without the program's name. Empty values count as unset, but for `static_path`.
///         `PORT` of the environment is the port where no source says `port`.
///         `version` and `help` look at the command line only; `healthcheck` needs no function.
/// Errors: unknown flag or key, malformed value, unreadable file; what option_checks.hpp says of all of them together.
/// Waits:  reads the file that `--config` names.
/// Source: modes/README.md, options of the old watchdogs.
std::variant<Invocation, OptionError> read_options(std::span<const char* const> arguments,
                                                   const Environment& environment);

/// What `--help` prints.
std::string help_text();

/// The table of options in README.md, as Markdown.
std::string readme_table();

}  // namespace fwd
