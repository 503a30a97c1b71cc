#include "watchdog/base/overdue_watch.hpp"

namespace fwd {

void DeadlineQueue::watch(Overdue& item, Deadline due) {
  item.due_ = due;
  if (item.is_linked() && item.place_ <= due) return;
  item.unlink();
  if (due == kNever) return;
  item.place_ = due;
  items_.insert(item);
}

void DeadlineQueue::expire(Clock::time_point now) {
  while (next() <= now) {
    Overdue& item = *items_.begin();
    item.unlink();
    if (item.due_ <= now) {
      item.overdue();
    } else {
      watch(item, item.due_);
    }
  }
}

void OverdueWatch::watch(Overdue& item, Deadline due) {
  queue_.watch(item, due);
  if (due < armed_) arm();
}

void OverdueWatch::arm() {
  armed_ = queue_.next();
  if (armed_ == kNever) return;
  timer_.expires_at(armed_);
  timer_.async_wait([this](const Error& error) {
    if (error) return;  // armed again for something earlier
    armed_ = kNever;
    queue_.expire(Clock::now());
    if (queue_.next() < armed_) arm();
  });
}

}  // namespace fwd
