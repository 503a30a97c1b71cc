#pragma once

#include <optional>
#include <string>

#include "watchdog/base/error.hpp"
#include "watchdog/base/task.hpp"
#include "watchdog/base/time.hpp"
#include "watchdog/exchange.hpp"
#include "watchdog/function_stats.hpp"

namespace fwd {

/// A way of answering requests with a function. Used from one event loop only.
class Mode {
 public:
  virtual ~Mode() = default;

  /// Called once, before the listener opens.
  /// Errors: the reason why the function can never be started (errno of exec); the watchdog then ends.
  virtual Error start() = 0;

  /// What start() reported, in one line that says more than its error; empty where the error says all.
  virtual std::string start_error() const { return {}; }

  /// Waits until the function can be called for the first time, or until `by`. The listener is open by then; health and
  /// the lock file wait for this.
  virtual Task<void> callable(Deadline by) {
    (void)by;
    co_return;
  }

  /// Answers one request. On an error before responded(), the caller answers by the error; after, it cuts the answer,
  /// unless that is finished: then the error is only counted.
  virtual Task<Error> serve(Exchange& exchange) = 0;

  /// Ends the function: asks it to end, then makes it. Every child has been reaped when this returns.
  virtual Task<void> stop(Deadline by) = 0;

  /// Makes a stop() that waits wait no longer.
  virtual void kill() = 0;

  /// Since when no worker is up; nothing while the function can be called.
  virtual std::optional<Clock::time_point> down_since() const = 0;

  /// How long a client that was turned away should wait.
  virtual seconds retry_after() const = 0;

  /// For metrics.
  virtual FunctionStats stats() const = 0;
};

}  // namespace fwd
