#include "watchdog/process/waiter_queue.hpp"

namespace fwd {

void Waiter::overdue() {
  expired_ = true;
  queue_->settle(*this);
}

bool Waiter::is_gone() const { return Clock::now() - since_ >= WaiterQueue::kAskAfter && gone_(); }

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

/// The first whose client is still there; null if there is none.
Waiter* WaiterQueue::settle_first() {
  while (!waiters_.empty()) {
    Waiter& first = waiters_.front();
    settle(first);
    if (!first.is_gone()) return &first;
    first.error_ = Errc::client_gone;
  }
  return nullptr;
}

bool WaiterQueue::give(Worker& worker) {
  Waiter* first = settle_first();
  if (first != nullptr) first->worker_ = &worker;
  return first != nullptr;
}

bool WaiterQueue::give_turn() { return settle_first() != nullptr; }

void WaiterQueue::drop_gone() {
  for (auto each = waiters_.begin(); each != waiters_.end();) {
    Waiter& waiter = *each++;
    if (!waiter.is_gone()) continue;
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
