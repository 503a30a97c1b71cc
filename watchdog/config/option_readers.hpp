#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/config/config.hpp"
#include "watchdog/config/option_values.hpp"

namespace fwd {

// One reader a type of setting: reads `text` into `setting`, or leaves it and tells the problem.

/// How the old watchdogs read the booleans of their environment.
enum class OldBoolean {
  never,          // an option of ours
  true_or_1,      // everything else was false
  go_else_true,   // Go's ParseBool, and true for what it cannot read
  go_else_false,  // Go's ParseBool, and false for what it cannot read
};

/// Which lengths of time make sense.
enum class Sign { any, not_negative, positive };

struct Range {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

Reading read_text(std::string& setting, std::string_view text);
Reading read_flag(bool& setting, std::string_view text, OldBoolean old);
Reading read_duration(nanoseconds& setting, std::string_view text, Sign sign);
Reading read_size(std::size_t& setting, std::string_view text, std::size_t least,
                  std::size_t most = std::numeric_limits<std::size_t>::max());
Reading read_count(std::size_t& setting, std::string_view text, Range range);
Reading read_port(std::uint16_t& setting, std::string_view text);

Reading read_mode(ModeName& setting, std::string_view text);
Reading read_units(AfterburnUnits& setting, std::string_view text);
Reading read_stray(StrayOutput& setting, std::string_view text);
Reading read_methods(std::vector<std::string>& setting, std::string_view text);
Reading read_response_fd(int& setting, std::string_view text);
Reading read_workers(std::optional<std::size_t>& setting, std::string_view text);
Reading read_max_inflight(std::size_t& setting, std::string_view text);
Reading read_log_buffer(std::size_t& setting, std::string_view text);
Reading read_write_timeout(nanoseconds& setting, std::string_view text);

}  // namespace fwd
