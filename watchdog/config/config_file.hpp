#pragma once

#include <string>
#include <variant>
#include <vector>

#include "watchdog/config/options.hpp"

namespace fwd {

/// One `key: value` of a configuration file.
struct FileEntry {
  std::string key;
  std::string value;     // its text as written, quotes removed; empty for null
  std::size_t line = 0;  // counted from 1
};

/// Reads a YAML file that is one mapping of names to single values.
/// Errors: a file that cannot be read or is longer than 1 MiB, anything but such a mapping, a key given twice;
///         the text names the file and, where there is one, the line.
std::variant<std::vector<FileEntry>, OptionError> read_config_file(const std::string& path);

/// The same for the file's contents; `path` is for messages.
std::variant<std::vector<FileEntry>, OptionError> parse_config_file(const std::string& path, const std::string& text);

}  // namespace fwd
