#pragma once

#include "watchdog/base/log.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/server/lock_file.hpp"

namespace fwd {

/// Whether this instance should live (health) and be sent requests (ready).
class Health {
 public:
  Health(const Mode& mode, LockFile& lock, Log& log) : mode_(mode), lock_(lock), log_(log) {}

  /// False while draining, when the lock file was taken away, and once no worker has been up for kPatience.
  bool is_healthy(Clock::time_point now);

  /// False while draining, when the lock file was taken away, and while no worker is up.
  bool is_ready();

  void open() { accepting_ = true; }
  void drain() { accepting_ = false; }

  static constexpr nanoseconds kPatience = seconds(5);

 private:
  bool is_accepting();

  const Mode& mode_;
  LockFile& lock_;
  Log& log_;
  bool accepting_ = false;
  bool told_ = false;
};

}  // namespace fwd
