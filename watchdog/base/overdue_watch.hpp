#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/intrusive/set.hpp>

#include <memory>

#include "watchdog/base/task.hpp"
#include "watchdog/base/time.hpp"

namespace fwd {

/// Something that must have happened by a deadline. Leaves its queue when it is destroyed.
class Overdue : public boost::intrusive::set_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
                    boost::intrusive::optimize_size<true>> {
 public:
  virtual ~Overdue() = default;

 protected:
  /// Called once, off the queue, when the deadline has passed. May watch itself again, destroy itself or others.
  virtual void overdue() = 0;

 private:
  friend class DeadlineQueue;
  friend bool operator<(const Overdue& a, const Overdue& b) { return a.place_ < b.place_; }
  Deadline due_ = kNever;
  Deadline place_ = kNever;  // in the queue; no later than due_
};

/// What is due when; pure: time is an argument. An item whose deadline moves on keeps its place until that is reached:
/// connections do so twice a request, and hardly one of them ever gets there.
class DeadlineQueue {
 public:
  /// Watches `item` from now on, or anew; kNever: no more.
  void watch(Overdue& item, Deadline due);
  static void forget(Overdue& item) { item.due_ = kNever; }

  /// When to call expire(): no later than the earliest deadline. kNever when nothing is watched.
  Deadline next() const { return items_.empty() ? kNever : items_.begin()->place_; }

  /// Tells everything that is due at `now`.
  void expire(Clock::time_point now);

 private:
  boost::intrusive::multiset<Overdue, boost::intrusive::constant_time_size<false>> items_;
};

/// One sleeping timer for every deadline of an event loop. A timer for each operation costs 15 times as much.
/// Lifetime: outlives everything it watches.
class OverdueWatch {
 public:
  explicit OverdueWatch(const Executor& executor) : timer_(executor) {}

  void watch(Overdue& item, Deadline due);
  void watch(Overdue& item, nanoseconds from_now) { watch(item, deadline_after(Clock::now(), from_now)); }
  void forget(Overdue& item) { DeadlineQueue::forget(item); }
  Executor executor() { return timer_.get_executor(); }

 private:
  void arm();

  using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;
  DeadlineQueue queue_;
  Timer timer_;
  Deadline armed_ = kNever;  // when the timer will fire; later than next() only between watch() and arm()
};

/// Calls a function when its deadline passes.
template <class Call>
class OverdueCall final : public Overdue {
 public:
  explicit OverdueCall(Call call) : call_(std::move(call)) {}

 private:
  void overdue() override { call_(); }
  Call call_;
};

/// The same as a member that is made when it is needed.
template <class Call>
std::unique_ptr<Overdue> make_overdue_call(Call call) {
  return std::make_unique<OverdueCall<Call>>(std::move(call));
}

}  // namespace fwd
