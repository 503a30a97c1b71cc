#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/options.hpp"

namespace fwd::bench {

/// What the rows collect before the whole is judged.
struct Draft {
  Options options;
  bool has_requests = false;
  bool has_method = false;
  bool has_head = false;
  bool asks_help = false;
  bool asks_version = false;
};

/// One option: `letter` 0 has no short form, `name` nullptr no long one, `argument` nullptr takes no value.
struct OptionRow {
  char letter;
  const char* name;
  const char* argument;
  const char* help;
  /// Stores the value; returns what is wrong with it, or nothing.
  std::string (*set)(Draft& draft, std::string_view value);
};

/// The one table behind the command line and its help.
std::span<const OptionRow> option_table();

}  // namespace fwd::bench
