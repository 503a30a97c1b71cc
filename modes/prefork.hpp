#pragma once

#include <deque>
#include <functional>

#include "modes/child.hpp"
#include "watchdog/process/restart_policy.hpp"

namespace fwd {

/// Keeps processes that wait for their request: interpreters are up before it comes. One that is taken, dies or has
/// waited for ten minutes is replaced in the background. To start a process stops the event loop for a while, so the
/// next one comes behind the answer, or after `pause` if that takes long: a burst finds new ones.
/// Lifetime: the processes belong to somebody else, who tells when one has ended.
class Prefork {
 public:
  /// Starts a process that waits, and owns it.
  using StartChild = std::function<Result<Child*>()>;

  /// `pause`: at most so long after one was taken the next is started.
  Prefork(OverdueWatch& watch, Log& log, std::size_t count, nanoseconds pause, StartChild start_child);

  /// Begins to keep them.
  void begin();

  /// The one that has waited longest; null if none is there.
  Child* take();

  /// The process of a request has ended: its answer goes out now, and then what was taken is replaced.
  void request_ended();

  /// True if `child` was one of those that wait: it is replaced later and later if that goes on.
  bool ended(Child& child);

  /// From now on none is started. Those that wait find the end of their stdin.
  void stop();

  std::size_t idle() const { return idle_.size(); }

 private:
  void refill();
  void refill_by(Deadline due);
  void discard_old();

  OverdueWatch& watch_;
  Log& log_;
  std::size_t count_;
  nanoseconds pause_;
  StartChild start_child_;
  std::deque<Child*> idle_;  // the one that has waited longest is first
  RestartPolicy policy_;
  Deadline taken_due_ = kNever;       // when what was taken is replaced
  std::unique_ptr<Overdue> refill_;   // when more are started
  std::unique_ptr<Overdue> old_age_;  // when the first has waited too long
};

}  // namespace fwd
