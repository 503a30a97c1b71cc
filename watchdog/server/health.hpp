#pragma once

#include "watchdog/base/log.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/server/lock_file.hpp"

namespace fwd {

/// Whether this instance should live (health) and be sent requests (ready).
class Health {
 public:
  Health(const Mode& mode, LockFile& lock, Log& log) : mode_(mode), lock_(lock), log_(log) {}

  /// False while draining, when the lock file was taken away, and once no worker has been up for kPatience; for
  /// kFirstPatience if none ever was.
  bool is_healthy(Clock::time_point now);

  /// False while draining, when the lock file was taken away, and while no worker is up.
  bool is_ready();

  void open() { accepting_ = true; }
  void drain() { accepting_ = false; }

  /// The function could be called for the first time.
  void function_is_up() { was_up_ = true; }

  static constexpr nanoseconds kPatience = seconds(5);
  static constexpr nanoseconds kFirstPatience = std::chrono::minutes(2);  // a JVM that compiles its pages, and then some

 private:
  bool is_accepting();

  const Mode& mode_;
  LockFile& lock_;
  Log& log_;
  bool accepting_ = false;
  bool was_up_ = false;
  bool told_ = false;
};

}  // namespace fwd
