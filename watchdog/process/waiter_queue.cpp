#include "watchdog/process/waiter_queue.hpp"

namespace fwd {

void Waiter::overdue() {
  expired_ = true;
  queue_->settle(*this);
}

bool Waiter::is_gone(Clock::time_point now) const { return now - since_ >= WaiterQueue::kAskAfter && gone_(); }

Task<void> WaiterQueue::settled(Waiter& waiter, Deadline due) {
  waiter.queue_ = this;
  waiter.since_ = Clock::now();
  waiters_.push_back(waiter);
  watch_.watch(waiter, due);
  co_await waiter.settled_.wait();
}

void WaiterQueue::settle(Waiter& waiter) {
  waiters_.erase(waiters_.iterator_to(waiter));
  watch_.forget(waiter);
  waiter.settled_.wake(watch_.executor());
}

/// The first whose client is still there, if `place` will do for it; null if there is none.
Waiter* WaiterQueue::settle_first(Placement place, Clock::time_point now) {
  while (!waiters_.empty()) {
    Waiter& first = waiters_.front();
    if (place == Placement::behind_others && first.placement_ == Placement::alone) return nullptr;
    settle(first);
    if (!first.is_gone(now)) return &first;
    first.error_ = Errc::client_gone;
  }
  return nullptr;
}

bool WaiterQueue::give(Worker& worker, Placement place, Clock::time_point now) {
  Waiter* const first = settle_first(place, now);
  if (first == nullptr) return false;
  first->worker_ = &worker;
  first->waited_ = now - first->since_;
  return true;
}

bool WaiterQueue::give_turn() { return settle_first(Placement::alone, Clock::now()) != nullptr; }

void WaiterQueue::drop_gone() {
  const auto now = Clock::now();
  for (auto each = waiters_.begin(); each != waiters_.end();) {
    Waiter& waiter = *each++;
    if (!waiter.is_gone(now)) continue;
    waiter.error_ = Errc::client_gone;
    settle(waiter);
  }
}

void WaiterQueue::fail_all(const Error& error) {
  while (!waiters_.empty()) {
    Waiter& first = waiters_.front();
    first.error_ = error;
    settle(first);
  }
}

}  // namespace fwd
