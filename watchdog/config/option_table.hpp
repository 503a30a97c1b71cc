#pragma once

#include <span>
#include <string_view>

#include "watchdog/config/config.hpp"
#include "watchdog/config/option_values.hpp"

namespace fwd {

/// What a value looks like, for help; a flag of kind `boolean` may stand alone.
enum class Kind { text, boolean, count, size, duration, choice };

/// Where an option may stand: `config` of the environment belongs to the function, so it is a flag alone.
enum class Place { everywhere, flag_only };

/// One option: environment variable, flag, YAML key, line of help and row of README.md in one.
struct Option {
  std::string_view name;  // as the environment spells it
  std::string_view also;  // a second spelling, or empty; `name` wins when the environment has both
  Kind kind;
  std::string_view fallback;                   // the default as text; a test compares it with Config
  std::string_view help;                       // one sentence without a full stop
  Reading (*read)(Config&, std::string_view);  // sets the member, or leaves it and tells the problem
  Place place = Place::everywhere;

  bool operator==(const Option& other) const { return name == other.name; }
};

/// Every option, in the order of help.
std::span<const Option> option_table();

/// Finds by either spelling; dashes count as underscores. None: nullptr.
const Option* find_option(std::string_view name);

/// The spelling closest to `name`, or empty when nothing is close.
std::string_view nearest_option(std::string_view name);

/// The word for a kind of value in help: `DURATION`, ...
std::string_view to_string(Kind kind);

}  // namespace fwd
