#pragma once

#include <memory>
#include <random>

#include "watchdog/process/restart_policy.hpp"
#include "watchdog/process/worker.hpp"

namespace fwd {

class WorkerPool;
struct WorkerPoolOptions;

/// Replaces workers that have answered enough, are old or have grown, one at a time, so that no request notices. The
/// successor is started first and has a moment to get ready; then the old worker, as soon as it is idle, gives its place
/// up and is asked to end. Until then, and as long as no successor can be started, the old one goes on.
/// Lifetime: part of the pool.
class WorkerRecycler {
 public:
  WorkerRecycler(WorkerPool& pool, const WorkerPoolOptions& options);

  /// False if nothing ever wears.
  bool on() const { return on_; }

  /// `worker` has just taken its place.
  void begin_life(Worker& worker);

  /// `worker` has answered.
  void look(Worker& worker, Clock::time_point now);

  /// `worker` is idle. True if it has given its place up: it must not be used any more.
  bool replaced(Worker& worker);

  /// Waits for `worker` to be idle: it should get no more requests.
  bool waits_for(const Worker& worker) const { return ready_ && &worker == old_; }

  /// The successor of `lost`, if it has one; for its place.
  std::unique_ptr<Worker> take_successor(const Worker& lost);

  /// Starts a successor for a worn worker, if there is one and none is on its way.
  void next();

  /// The successor has ended, or must not be used; the old worker goes on, and another is tried later.
  void successor_failed(const char* why);

  /// The pool is stopping: no more of this. What was started is the caller's to end.
  std::unique_ptr<Worker> stop();

  /// Between two looks at a worker's memory: each costs three system calls.
  static constexpr nanoseconds kLookInterval = seconds(1);

 private:
  bool has_grown(Worker& worker, Clock::time_point now) const;
  Worker* find_worn() const;
  void retry_later();
  void warmed_up();
  void swap();
  void say_replacing(Worker& old) const;

  WorkerPool& pool_;
  const WorkerPoolOptions& options_;
  bool on_;
  std::minstd_rand random_{std::random_device{}()};
  std::unique_ptr<Worker> successor_;
  Worker* old_ = nullptr;   // whose place the successor takes
  bool ready_ = false;      // the successor has had its moment
  RestartPolicy policy_;    // of successors that fail
  std::unique_ptr<Overdue> timer_;  // the moment's end, or the next try
  bool waiting_ = false;    // for the next try
};

/// Physical memory of a process; zero if that cannot be told. Source: proc(5), statm.
std::uint64_t resident_bytes(pid_t pid);

}  // namespace fwd
