#pragma once

#include <algorithm>
#include <utility>

#include "watchdog/base/time.hpp"

namespace fwd {

/// How long to wait before a worker that died is replaced. Pure.
/// Only workers that are lost by themselves before their first answer count: one that answers and then dies, or that we
/// end for a request's sake, is replaced at once.
class RestartPolicy {
 public:
  static constexpr nanoseconds kFirstDelay = milliseconds(100);
  static constexpr nanoseconds kLongestDelay = seconds(10);

  nanoseconds delay_after_death(bool worked) {
    if (worked) {
      next_ = kFirstDelay;
      return nanoseconds::zero();
    }
    return std::exchange(next_, std::min(next_ * 2, kLongestDelay));
  }

 private:
  nanoseconds next_ = kFirstDelay;
};

}  // namespace fwd
