#pragma once

#include <cstdint>

#include "watchdog/base/seconds_histogram.hpp"

namespace fwd {

/// What a mode knows of its function processes, for metrics. What a mode has not stays zero.
struct FunctionStats {
  // Now.
  std::uint64_t queued = 0;    // requests that wait for a process
  std::uint64_t busy = 0;      // processes that answer a request; in http mode: that have one in flight
  std::uint64_t idle = 0;      // processes that wait for a request, prefork included
  std::uint64_t starting = 0;  // processes that do not take requests yet
  std::uint64_t down = 0;      // places whose process has ended and is not started again yet
  std::uint64_t tunnels = 0;   // connections handed over by an upgrade

  // Since the start.
  std::uint64_t started = 0;
  std::uint64_t start_failures = 0;
  std::uint64_t tunnels_opened = 0;
  struct Losses {
    std::uint64_t died = 0;
    std::uint64_t overdue = 0;         // exec_timeout
    std::uint64_t broke_protocol = 0;
    std::uint64_t stray_output = 0;
    std::uint64_t client_gone = 0;     // killed because nobody waited for the answer
    std::uint64_t max_requests = 0;    // recycled: it had answered as many as it should
    std::uint64_t max_lifetime = 0;    // recycled: it was old
    std::uint64_t max_rss = 0;         // recycled: it was large
  } losses;
  SecondsHistogram wait;   // for a process, of requests that got one
  SecondsHistogram spawn;  // the call that starts a process
};

}  // namespace fwd
