#pragma once

#include <span>
#include <string_view>

#include "watchdog/config/config.hpp"
#include "watchdog/config/option_values.hpp"

namespace fwd {

/// What an option is about; help is in this order.
enum class Group {
  function,
  per_request,
  classic,
  http,
  afterburn,
  workers,
  static_files,
  listener,
  end,
  metrics,
  log
};

/// What a value looks like, for help; a flag of kind `boolean` may stand alone.
enum class Kind { text, boolean, count, size, duration, choice };

/// Where an option may stand: `config` of the environment belongs to the function, so it is a flag alone.
enum class Place { everywhere, flag_only };

/// What an empty text says: nothing, or that the setting is to be empty.
enum class EmptyText { unset, counts };

/// One option: environment variable, flag, YAML key, line of help and row of README.md in one.
struct Option {
  Group group;
  std::string_view name;  // as the environment spells it
  std::string_view also;  // a second spelling, or empty; `name` wins when the environment has both
  Kind kind;
  std::string_view fallback;                   // the default as text; a test compares it with Config
  std::string_view help;                       // one sentence without a full stop
  Reading (*read)(Config&, std::string_view);  // sets the member, or leaves it and tells the problem
  Place place = Place::everywhere;
  EmptyText empty = EmptyText::unset;

  bool operator==(const Option& other) const { return name == other.name; }
};

/// Every option, in the order of help.
std::span<const Option> option_table();

/// Finds by either spelling; dashes count as underscores. None: nullptr.
const Option* find_option(std::string_view name);

/// The spelling closest to `name`, or empty when nothing is close.
std::string_view nearest_option(std::string_view name);

/// False for what `mode` does not look at. True for every group that is not one of modes.
bool has_effect(Group group, ModeName mode);

/// The word for a kind of value in help: `DURATION`, ...
std::string_view to_string(Kind kind);

/// What stands above a group in help.
std::string_view to_string(Group group);

}  // namespace fwd
