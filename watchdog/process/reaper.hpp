#pragma once

#include <sys/types.h>

#include <boost/asio/basic_signal_set.hpp>

#include <functional>
#include <unordered_map>

#include "watchdog/base/error.hpp"
#include "watchdog/base/task.hpp"
#include "watchdog/process/exit_status.hpp"

namespace fwd {

/// The one place that waits for children: our own, and the orphans that become ours as PID 1 or as their subreaper.
/// Lifetime: outlives every process that it watches for.
class Reaper {
 public:
  using OnExit = std::function<void(ExitStatus)>;

  /// Makes us the subreaper of all that we start.
  explicit Reaper(const Executor& executor);

  /// Calls `on_exit` once, at the top of the event loop, when `pid` has ended. What is left of its process group is
  /// killed just before, while no other process can have its number.
  void watch(pid_t pid, OnExit on_exit) { watched_[pid] = std::move(on_exit); }

  /// The process is still reaped, but nobody is told.
  void forget(pid_t pid) { watched_.erase(pid); }

  /// Takes in everything that has ended. Runs by itself on SIGCHLD.
  void reap();

 private:
  void listen();

  asio::basic_signal_set<Executor> child_ended_;
  std::unordered_map<pid_t, OnExit> watched_;
};

}  // namespace fwd
