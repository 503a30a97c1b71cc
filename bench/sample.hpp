#pragma once

#include <algorithm>
#include <cstdint>

#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// What happened to one request and when. A connection fills it in; the tally reads it once the request has ended.
struct Sample {
  Clock::time_point started;          // the request was due: in the closed loop, when the slot became free
  Clock::time_point connect_started;  // connect() was called; unset on a reused connection
  Clock::time_point connected;
  Clock::time_point sent;        // the last byte of the request was taken by the kernel
  Clock::time_point first_byte;  // of the answer
  Clock::time_point done;        // the last byte of the answer, by its own framing
  bool reused = false;           // on a connection that had answered before
  bool kept = false;             // the answer left the connection open for the next
  int status = 0;
  std::uint64_t body_bytes = 0;

  static std::uint64_t between(Clock::time_point from, Clock::time_point to) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, nanoseconds(to - from).count()));
  }
  std::uint64_t total() const { return between(started, done); }
  std::uint64_t connect() const { return reused ? 0 : between(connect_started, connected); }
  /// 0 when the answer began before the request was sent.
  std::uint64_t waiting() const { return between(sent, first_byte); }
};

}  // namespace fwd::bench
