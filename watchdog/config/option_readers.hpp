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

// One reader a type of setting (those of named values are in option_choices.hpp): reads `text` into `setting`, or
// leaves it and tells the problem.

/// How the old watchdogs read the booleans of their environment.
enum class OldBoolean {
  never,          // an option of ours
  true_or_1,      // of-watchdog: everything else was false
  go_else_true,   // of-watchdog: Go's ParseBool, and true for what it cannot read
  go_else_false,  // of-watchdog: Go's ParseBool, and false for what it cannot read
  only_true,      // classic-watchdog: everything but `true` was false
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

/// Text that becomes the value of a header field: no control characters.
Reading read_field_value(std::string& setting, std::string_view text);

/// An IPv4 or IPv6 address as inet_pton(3) takes it: no name, no port, no brackets.
Reading read_address(std::string& setting, std::string_view text);

/// May a path have a query behind it?
enum class Query { no, yes };

/// A path that begins with `/`, of visible ASCII characters, without a fragment.
Reading read_path(std::string& setting, std::string_view text, Query query);

/// `connect=5s,first_byte=10s,idle=30s,total=1m`, any of them in any order; a duration alone is `total`. What is not
/// named has no limit.
Reading read_upstream_timeouts(UpstreamPhases& setting, std::string_view text);

Reading read_methods(std::vector<std::string>& setting, std::string_view text);
Reading read_response_fd(int& setting, std::string_view text);
Reading read_workers(std::optional<std::size_t>& setting, std::string_view text);
Reading read_max_inflight(std::size_t& setting, std::string_view text);
Reading read_log_buffer(std::size_t& setting, std::string_view text);

}  // namespace fwd
