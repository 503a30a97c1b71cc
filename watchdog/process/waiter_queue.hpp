#pragma once

#include <boost/intrusive/list.hpp>

#include <functional>

#include "watchdog/base/event.hpp"
#include "watchdog/base/overdue_watch.hpp"

namespace fwd {

class Worker;

/// Which worker will do: one that has no other request, or also one that takes this one behind others.
enum class Placement { alone, behind_others };

/// A request that waits for a worker. Lives in the coroutine that waits, and leaves the queue with it.
class Waiter : public Overdue, public boost::intrusive::list_base_hook<> {
 public:
  /// `gone` tells whether anybody still wants the answer.
  explicit Waiter(std::function<bool()> gone, Placement placement = Placement::alone)
      : gone_(std::move(gone)), placement_(placement) {}

  Worker* worker() const { return worker_; }  // what it waited for, once it has it
  nanoseconds waited() const { return waited_; }  // for the worker
  const Error& error() const { return error_; }
  bool expired() const { return expired_; }

 private:
  friend class WaiterQueue;
  void overdue() override;
  bool is_gone(Clock::time_point now) const;

  class WaiterQueue* queue_ = nullptr;
  std::function<bool()> gone_;
  Placement placement_;
  Worker* worker_ = nullptr;
  Error error_;
  bool expired_ = false;
  Clock::time_point since_{};
  nanoseconds waited_{0};
  Event settled_;
};

/// Requests in arrival order. Whoever is settled (served, failed, expired) is out of the queue before it runs again.
class WaiterQueue {
 public:
  explicit WaiterQueue(OverdueWatch& watch) : watch_(watch) {}

  std::size_t size() const { return waiters_.size(); }

  /// Waits until `waiter` is given a worker, is failed, or `due` passes.
  Task<void> settled(Waiter& waiter, Deadline due);

  /// Gives `worker` to the one that has waited longest and is still there; false if nobody is. Who has waited for less
  /// than kAskAfter is not asked: that costs a system call, and nobody goes so soon. A place behind others is kept from
  /// everybody while the first in the queue wants a worker alone: else that one might wait for ever.
  bool give(Worker& worker, Placement place, Clock::time_point now);

  /// The same where one waits for its turn, and not for a worker: it is settled without an error.
  bool give_turn();

  /// Fails those whose client has gone; only their places in the queue are worth the look.
  void drop_gone();
  void fail_all(const Error& error);

  static constexpr nanoseconds kAskAfter = milliseconds(5);

 private:
  friend class Waiter;
  void settle(Waiter& waiter);
  Waiter* settle_first(Placement place, Clock::time_point now);

  OverdueWatch& watch_;
  boost::intrusive::list<Waiter> waiters_;
};

}  // namespace fwd
