#pragma once

#include <functional>
#include <memory>

#include "watchdog/base/event.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/base/seconds_histogram.hpp"
#include "watchdog/process/function_process.hpp"
#include "watchdog/process/restart_policy.hpp"

namespace fwd {

/// A function process that is to run for ever, as a server does: it is started again whenever it ends. What it prints
/// is logged; its stdin is a pipe that is neither written nor, before the end, closed.
/// Lifetime: the destructor kills the process group. The references outlive this. Not to be moved.
class ServerProcess {
 public:
  struct Calls {
    std::function<Result<SpawnRequest>()> command;  // what to start, asked each time
    std::function<void()> started;
    std::function<bool(ExitStatus)> ended;          // true: start it again
  };

  /// What has happened so far, for metrics.
  struct Counts {
    std::uint64_t started = 0;
    std::uint64_t start_failures = 0;
    std::uint64_t died = 0;  // by itself
    SecondsHistogram spawn;
  };

  ServerProcess(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, Calls calls);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Errors: as spawn(), or the command's own.
  Error start();

  bool running() const { return process_ != nullptr && !process_->exited(); }

  /// It has answered: should it end, it is started again at once.
  void proved() { proved_ = true; }

  /// TERM to its group and the end of its stdin; it is not started again.
  void ask_to_end();

  /// KILL to its group.
  void kill();

  /// Waits until it has been reaped. At most one waiter.
  Task<void> gone();

  const Counts& counts() const { return counts_; }

 private:
  void ended(ExitStatus status);
  void start_again(nanoseconds delay);

  OverdueWatch& watch_;
  Reaper& reaper_;
  Log& log_;
  FunctionLog& function_log_;
  Calls calls_;
  RestartPolicy policy_;
  Counts counts_;
  std::unique_ptr<Overdue> restart_;
  std::unique_ptr<FunctionProcess> process_;  // also after its end, until the next one is started
  bool proved_ = false;
  bool ending_ = false;
  Event gone_;
};

}  // namespace fwd
