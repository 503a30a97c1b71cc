#include "watchdog/server/health.hpp"

namespace fwd {

bool Health::is_accepting() {
  if (!accepting_) return false;
  lock_.take_over();
  if (lock_.intact()) return true;
  if (!std::exchange(told_, true)) log_.say("Lock-file " + lock_.path() + " was removed: unhealthy from now on");
  return false;
}

bool Health::is_healthy(Clock::time_point now) {
  const auto down_since = mode_.down_since();
  const nanoseconds patience = was_up_ ? kPatience : kFirstPatience;
  return is_accepting() && (!down_since || now - *down_since < patience);
}

bool Health::is_ready() { return is_accepting() && !mode_.down_since(); }

}  // namespace fwd
