#include <fmt/format.h>
#include <optional>
#include <string>

#include "watchdog/config/option_table.hpp"
#include "watchdog/config/options.hpp"

namespace fwd {
namespace {

constexpr std::size_t kHelpColumn = 6;
constexpr std::size_t kHelpWidth = 100;

/// `text` in lines of at most kHelpWidth, each indented.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column != 0 && column + 1 + word.size() > kHelpWidth) {
      lines += '\n';
      column = 0;
    }
    lines += column == 0 ? std::string(kHelpColumn, ' ') : " ";
    lines += word;
    column += (column == 0 ? kHelpColumn : 1) + word.size();
  }
  return lines + '\n';
}

std::string default_note(const Option& option) {
  return option.fallback.empty() ? "" : fmt::format(" (default: {})", option.fallback);
}

}  // namespace

std::string help_text() {
  std::string text =
      "usage: fwatchdog [options] [-- COMMAND [ARGUMENT...]]\n\n"
      "Serves COMMAND, or the command in `fprocess`, as an HTTP function.\n\n"
      "      --version          print the version and end\n"
      "      --run-healthcheck  end with 0 if a watchdog is up here, else with 1\n"
      "  -h, --help             print this and end\n\n"
      "Each option is a flag (--name VALUE, --name=VALUE; one dash will do, - counts as _), an environment\n"
      "variable (name=VALUE) and a key of the YAML file that --config names; the first of these that is set counts.\n"
      "DURATION: seconds (30) or 1m30s, 500ms. BYTES: 65536, 64Ki, 1M. BOOL: true, false, 1, 0, yes, no, on, off.\n\n";
  std::optional<Group> group;
  for (const Option& option : option_table()) {
    if (group != option.group) text += fmt::format("{}{}:\n", group ? "\n" : "", to_string(option.group));
    group = option.group;
    text += fmt::format("  --{} {}", option.name, to_string(option.kind));
    if (!option.also.empty()) text += fmt::format(", --{} {}", option.also, to_string(option.kind));
    if (option.place == Place::flag_only) text += "  (flag only)";
    text += '\n' + wrapped(fmt::format("{}{}", option.help, default_note(option)));
  }
  return text;
}

std::string readme_table() {
  std::string table = "| option | value | default | what it does |\n| --- | --- | --- | --- |\n";
  std::optional<Group> group;
  for (const Option& option : option_table()) {
    if (group != option.group) table += fmt::format("| **{}** | | | |\n", to_string(option.group));
    group = option.group;
    const std::string also = option.also.empty() ? "" : fmt::format(", `{}`", option.also);
    const std::string fallback = option.fallback.empty() ? "" : fmt::format("{}", option.fallback);
    const std::string_view place = option.place == Place::flag_only ? " (flag only)" : "";
    table += fmt::format("| `{}`{}{} | {} | {} | {} |\n", option.name, also, place, to_string(option.kind), fallback,
                         option.help);
  }
  return table;
}

}  // namespace fwd
