#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Every timeout is monotonic; wall time appears only in logs and in the Date field.
using Clock = std::chrono::steady_clock;

/// The moment by which something must have happened; `kNever` when there is no such moment.
using Deadline = Clock::time_point;
inline constexpr Deadline kNever = Deadline::max();

/// `start + length`, where a length of zero or less, or beyond what the clock can hold, means no limit.
inline Deadline deadline_after(Clock::time_point start, nanoseconds length) {
  return length <= nanoseconds::zero() || length >= kNever - start ? kNever : start + length;
}

/// A duration as Go writes it (`1m30s`, `1500ms`, `-5s`, `1.5h`), or a whole number of seconds (`30`).
/// Errors: invalid_value for anything else, and for what nanoseconds in 64 bits cannot hold.
/// Source: watchdog-contract, parsing rules of durations; Go's time.ParseDuration.
Result<nanoseconds> parse_duration(std::string_view text);

/// The same as Go's time.ParseDuration alone: a unit is required (`0` excepted).
Result<nanoseconds> parse_go_duration(std::string_view text);

/// As Go prints it: `30s`, `1m30s`, `1.5s`, `500ms`.
std::string to_go_string(nanoseconds length);

}  // namespace fwd
