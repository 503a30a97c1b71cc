#pragma once

#include <algorithm>
#include <utility>

#include "watchdog/base/time.hpp"

namespace fwd {

/// How long to wait before a worker that died is replaced. Pure.
/// Only workers that die before their first answer count: a function that answers and then dies is replaced at once.
class RestartPolicy {
 public:
  static constexpr nanoseconds kFirstDelay = milliseconds(100);
  static constexpr nanoseconds kLongestDelay = seconds(10);

  nanoseconds delay_after_death(bool had_answered) {
    if (had_answered) {
      next_ = kFirstDelay;
      return nanoseconds::zero();
    }
    return std::exchange(next_, std::min(next_ * 2, kLongestDelay));
  }

 private:
  nanoseconds next_ = kFirstDelay;
};

}  // namespace fwd
