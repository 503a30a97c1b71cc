#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modes/child.hpp"
#include "modes/child_environment.hpp"
#include "modes/prefork.hpp"
#include "watchdog/function_stats.hpp"
#include "watchdog/process/waiter_queue.hpp"

namespace fwd {

struct ChildrenOptions {
  std::vector<std::string> argv;         // of the function
  std::vector<std::string> environment;  // the watchdog's own, NAME=value; requests add to it
  bool merge_error = false;              // stderr is part of stdout
  std::size_t keep_error_bytes = 0;      // of stderr, kept for the mode instead of being logged as it comes
  nanoseconds exec_timeout = seconds(30);  // from the request's process being there; zero or less: no limit
  std::size_t max_children = 0;          // that answer a request at one time; 0: no limit
  std::size_t max_queue = 1024;          // requests that wait for their turn; without max_children none does
  nanoseconds max_queue_wait = seconds(10);  // zero or less: no limit
  std::size_t prefork = 0;               // processes that wait for their request; not with variables for the request
  nanoseconds prefork_pause = milliseconds(10);  // from taking one to starting the next; sooner behind its answer
};

/// What one request's process is started with.
struct ChildStart {
  std::vector<std::string> variables;  // NAME=value, added to the environment; unused by a process that waits already
  std::string call_id;                 // for the log; may be empty
};

/// The processes of a mode that starts one for each request.
/// Lifetime: outlives its leases. Everything runs on one executor.
class Children {
 public:
  class Lease;

  Children(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, ChildrenOptions options);
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Looks for the program. With prefork, processes are started as soon as the loop runs.
  /// Errors: as find_program().
  Error start();

  /// Waits for its turn, and starts a process or takes one that waits. exec_timeout begins to run.
  /// Errors: of spawn(), translated: spawn_lacks_resources, environment_too_large, else the system's own;
  ///         queue_full, queue_timeout; deadline_passed at `by`; client_gone if `gone` says so when its turn comes;
  ///         draining once stop() was called.
  Task<Result<Lease>> acquire(ChildStart request, Deadline by, std::function<bool()> gone);

  /// Asks every process to end, kills what is left at `by`; returns when all have been reaped.
  Task<void> stop(Deadline by);
  void kill();

  /// Queue length times recent service time over max_children: 1 to 60 s.
  seconds retry_after() const;
  FunctionStats stats() const;

 private:
  Task<Error> turn(Deadline by, std::function<bool()> gone);
  void end_turn();
  Task<Result<Child*>> start_patiently(const ChildStart& request);
  Result<Child*> start_child(const std::vector<std::string>& variables);
  void ended(Child& child);
  void account_for(const Child& child);
  void bury(Child& child);

  struct Entry {
    std::unique_ptr<Child> child;
    bool has_turn = false;  // answers a request, or did; counted against max_children until it is reaped
    bool leased = false;
    Clock::time_point since{};  // it has its turn
  };
  Entry& entry_of(const Child& child);

  OverdueWatch& watch_;
  Reaper& reaper_;
  Log& log_;
  FunctionLogOptions log_options_;
  ChildrenOptions options_;
  SpawnRequest command_;
  ChildEnvironment environment_;
  std::vector<Entry> entries_;  // of processes that are not reaped yet, or leased
  WaiterQueue queue_;
  Prefork prefork_;
  std::size_t turns_ = 0;    // taken
  std::size_t running_ = 0;  // not reaped
  nanoseconds service_time_{0};  // recent, exponentially weighted
  Clock::time_point said_{};     // that none could be started
  FunctionStats stats_;
  bool stopping_ = false;
  Event all_ended_;
};

/// One process for one request. Unless it was left or has ended, it is killed at the end of this.
class Children::Lease {
 public:
  Lease(Children& children, Child& child) : children_(&children), child_(&child) {}
  Lease(Lease&& other) noexcept : children_(other.children_), child_(std::exchange(other.child_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  Child& child() const { return *child_; }

  /// The request is answered: the process may end by itself, until exec_timeout.
  void leave();

 private:
  Children* children_;
  Child* child_;
};

}  // namespace fwd
