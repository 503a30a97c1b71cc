#pragma once

#include <boost/asio/basic_signal_set.hpp>

#include <functional>
#include <string>

#include "watchdog/base/log.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/server/gate.hpp"
#include "watchdog/server/health.hpp"
#include "watchdog/server/listener.hpp"

namespace fwd {

struct ShutdownOptions {
  nanoseconds interval{0};             // from SIGTERM to the end of accepting, for balancers to notice
  nanoseconds timeout = seconds(30);   // for all of it; the interval takes at most half
};

/// Ends the watchdog without losing a request. SIGTERM: unhealthy at once, accepting for the interval; SIGINT: no
/// interval; a second signal: at once. Then what is in flight is finished, and the function is ended last.
/// Source: reference/reliability.md 4.3; watchdog-contract 1.11 for the log lines.
class Shutdown {
 public:
  Shutdown(OverdueWatch& watch, Log& log, Health& health, LockFile& lock, Listener& listener, Sessions& sessions,
           Gate& gate, Mode& mode, ShutdownOptions options);

  /// Begins the end as SIGINT does, for a reason of our own, which is logged. Nothing once the end has begun.
  void begin(std::string reason);

  /// The end has begun.
  bool begun() const { return first_signal_ != 0 || !reason_.empty(); }

  /// Returns when all is drained and every child has been reaped: true, or false if requests were cut.
  Task<bool> run();

 private:
  void listen();
  void hurry();
  Task<void> until(std::function<bool()> condition, Deadline by);
  void refuse_new_work(nanoseconds interval);
  Task<void> close_connections(Deadline by);

  OverdueWatch& watch_;
  Log& log_;
  Health& health_;
  LockFile& lock_;
  Listener& listener_;
  Sessions& sessions_;
  Gate& gate_;
  Mode& mode_;
  ShutdownOptions options_;
  asio::basic_signal_set<Executor> signals_;
  int first_signal_ = 0;
  std::string reason_;     // to end without a signal; empty: there is none
  bool hurry_ = false;     // a second signal came
  bool stopping_ = false;  // the function is being ended
  Event signalled_;
};

}  // namespace fwd
