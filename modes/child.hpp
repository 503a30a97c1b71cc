#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "modes/child_log.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/process/function_process.hpp"

namespace fwd {

/// A process that answers one request, or waits for one; from its start until it has been reaped.
/// Lifetime: the destructor kills the process group; nobody may be waiting then. The arguments outlive it.
class Child : private Overdue {
 public:
  /// Errors: as spawn().
  static Result<std::unique_ptr<Child>> start(OverdueWatch& watch, Reaper& reaper, Log& log,
                                              const FunctionLogOptions& log_options, const SpawnRequest& request);

  FunctionProcess& process() { return *process_; }
  ChildLog& log() { return log_; }
  Clock::time_point started() const { return started_; }

  /// How the process ended, once it has been reaped.
  const std::optional<ExitStatus>& status() const { return status_; }

  /// Called once, when the process has been reaped; it may destroy this.
  void on_end(std::function<void(Child&)> call) { on_end_ = std::move(call); }

  /// The same for who holds the lease, before on_end(). An empty function takes it back.
  void tell_end(std::function<void()> call) { tell_end_ = std::move(call); }

  /// Why the process was killed, or its end does not count: exec_timeout, or what was given to fail().
  const Error& failure() const { return failure_; }

  /// Kills the process group for `reason` and ends every wait. The first reason counts; nothing once it has ended.
  void fail(const Error& reason);

  /// The process is killed at `due`: exec_timeout.
  void limit(Deadline due);

  /// Waits for more output, which is in process().answers().
  /// Errors: eof at its end, also 200 ms after the end of the process if another one holds the pipe;
  ///         operation_aborted after interrupt(); failure().
  Task<Error> more_output();

  /// Ends a more_output() that waits.
  void interrupt() { process_->answers().interrupt(watch_.executor()); }

  /// Waits until the process has been reaped, or until `by`.
  Task<void> ended(Deadline by);

  /// Asks the process to end. What it does on TERM alone is no failure of the function: failure() is draining then.
  void terminate();

  /// Its output is read to the end for nobody, so that it does not fail for that.
  void ignore_output();

 private:
  Child(OverdueWatch& watch, Log& log, const FunctionLogOptions& log_options);
  void overdue() override;
  void reaped(ExitStatus status);

  OverdueWatch& watch_;
  ChildLog log_;
  Clock::time_point started_;
  std::unique_ptr<FunctionProcess> process_;
  std::function<void(Child&)> on_end_;
  std::function<void()> tell_end_;
  std::optional<ExitStatus> status_;
  Error failure_;
  Event ended_;
  bool terminated_ = false;
  bool silent_ = false;  // ended, and no more output is waited for
};

}  // namespace fwd
