#include "modes/prefork.hpp"

#include <algorithm>

namespace fwd {
namespace {

constexpr nanoseconds kOldAge = std::chrono::minutes(10);  // what it read at its start may have changed since
constexpr nanoseconds kAnswerTime = milliseconds(1);  // from the end of a process to its answer being written

}  // namespace

Prefork::Prefork(OverdueWatch& watch, Log& log, std::size_t count, nanoseconds pause, StartChild start_child)
    : watch_(watch),
      log_(log),
      count_(count),
      pause_(pause),
      start_child_(std::move(start_child)),
      refill_(make_overdue_call([this] { refill(); })),
      old_age_(make_overdue_call([this] { discard_old(); })) {}

void Prefork::begin() {
  if (count_ > 0) watch_.watch(*refill_, Clock::now());
}

/// One that has ended stays: the event loop has not told it yet, and ended() will replace it.
Child* Prefork::take() {
  const auto alive = std::ranges::find_if(idle_, [](Child* child) { return !child->process().has_untold_end(); });
  if (alive == idle_.end()) return nullptr;
  Child* child = *alive;
  idle_.erase(alive);
  (void)policy_.delay_after_death(true);
  refill_by(deadline_after(Clock::now(), pause_));
  return child;
}

void Prefork::request_ended() {
  if (taken_due_ != kNever) refill_by(Clock::now() + kAnswerTime);
}

/// The earliest of these counts: requests that follow each other closely do not put it off.
void Prefork::refill_by(Deadline due) {
  taken_due_ = std::min(taken_due_, due);
  watch_.watch(*refill_, taken_due_);
}

bool Prefork::ended(Child& child) {
  if (std::erase(idle_, &child) == 0) return false;
  if (count_ == 0) return true;
  const nanoseconds delay = policy_.delay_after_death(false);
  log_.say("A process that waited for its request has ended: " + child.status()->text() + "; the next one in " +
           to_go_string(delay));
  taken_due_ = kNever;
  watch_.watch(*refill_, Clock::now() + delay);
  return true;
}

void Prefork::refill() {
  taken_due_ = kNever;
  while (idle_.size() < count_) {
    const auto child = start_child_();
    if (!child) {
      const nanoseconds delay = policy_.delay_after_death(false);
      log_.say("The function could not be started: " + child.error().message() + "; trying again in " +
               to_go_string(delay));
      return watch_.watch(*refill_, Clock::now() + delay);
    }
    idle_.push_back(*child);
  }
  if (!idle_.empty()) watch_.watch(*old_age_, idle_.front()->started() + kOldAge);
}

void Prefork::discard_old() {
  const auto now = Clock::now();
  while (!idle_.empty() && idle_.front()->started() + kOldAge <= now) {
    Child* child = idle_.front();
    idle_.pop_front();
    child->fail(Errc::draining);  // nobody's request: only its end is waited for
  }
  if (count_ > 0) watch_.watch(*refill_, now);
}

void Prefork::stop() {
  count_ = 0;
  taken_due_ = kNever;
  watch_.forget(*refill_);
  watch_.forget(*old_age_);
  for (Child* child : idle_) child->process().close_input();
}

}  // namespace fwd
