#include "modes/prefork.hpp"

#include <algorithm>

namespace fwd {
namespace {

constexpr nanoseconds kOldAge = std::chrono::minutes(10);  // what it read at its start may have changed since

template <class Call>
std::unique_ptr<Overdue> call_at_deadline(Call call) {
  return std::make_unique<OverdueCall<Call>>(std::move(call));
}

}  // namespace

Prefork::Prefork(OverdueWatch& watch, Log& log, std::size_t count, StartChild start_child)
    : watch_(watch),
      log_(log),
      count_(count),
      start_child_(std::move(start_child)),
      refill_(call_at_deadline([this] { refill(); })),
      old_age_(call_at_deadline([this] { discard_old(); })) {}

void Prefork::begin() {
  if (count_ > 0) watch_.watch(*refill_, Clock::now());
}

Child* Prefork::take() {
  if (idle_.empty()) return nullptr;
  Child* child = idle_.front();
  idle_.pop_front();
  watch_.watch(*refill_, Clock::now() + policy_.delay_after_death(true));  // in the background: this request goes first
  return child;
}

bool Prefork::ended(Child& child) {
  if (std::erase(idle_, &child) == 0) return false;
  if (count_ == 0) return true;
  const nanoseconds delay = policy_.delay_after_death(false);
  log_.say("A process that waited for its request has ended: " + child.status()->text() + "; the next one in " +
           to_go_string(delay));
  watch_.watch(*refill_, Clock::now() + delay);
  return true;
}

void Prefork::refill() {
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
  watch_.forget(*refill_);
  watch_.forget(*old_age_);
  for (Child* child : idle_) child->process().close_input();
}

}  // namespace fwd
