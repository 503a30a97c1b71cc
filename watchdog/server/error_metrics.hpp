#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Counts the requests that were turned away, by reason, and those that took too long, by phase.
class ErrorMetrics {
 public:
  /// Counts what became of one request; an error that is neither of both counts nothing.
  void count(const Error& error);

  /// Appends `fwatchdog_rejections_total` and `fwatchdog_timeouts_total` in text format 0.0.4.
  void append_to(std::string& out) const;

 private:
  enum Reason : std::size_t { over_limit, queue_full, queue_timeout, no_worker, draining, malformed, kReasons };
  enum Phase : std::size_t { exec, deadline, read, write, kPhases };

  void count_errc(Errc code);

  std::array<std::uint64_t, kReasons> rejections_{};
  std::array<std::uint64_t, kPhases> timeouts_{};
};

}  // namespace fwd
