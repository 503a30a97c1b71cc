#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "watchdog/base/seconds_histogram.hpp"
#include "watchdog/process/restart_policy.hpp"
#include "watchdog/process/waiter_queue.hpp"
#include "watchdog/process/worker.hpp"
#include "watchdog/process/worker_recycler.hpp"

namespace fwd {

struct WorkerPoolOptions {
  SpawnRequest command{};
  std::size_t workers = 1;
  std::size_t max_queue = 1024;            // requests that wait
  nanoseconds max_queue_wait = seconds(10);  // zero or less: no limit
  nanoseconds exec_timeout = seconds(30);    // zero or less: no limit
  bool replace_on_stray = true;              // false: stray output is only logged

  // When a worker is recycled, between two requests; zero: never.
  std::size_t max_requests = 0;  // each worker draws its own limit, 90 to 100 % of it
  nanoseconds max_lifetime{0};
  std::uint64_t max_rss_bytes = 0;
};

/// What the pool has done, for metrics.
struct WorkerPoolCounts {
  std::uint64_t started = 0;
  std::uint64_t start_failures = 0;
  std::uint64_t died = 0;
  std::uint64_t overdue = 0;
  std::uint64_t broke_protocol = 0;
  std::uint64_t stray_output = 0;
  std::uint64_t max_requests = 0;  // recycled
  std::uint64_t max_lifetime = 0;
  std::uint64_t max_rss = 0;
  SecondsHistogram wait;   // for a worker, of requests that got one
  SecondsHistogram spawn;  // the call that starts a process
};

/// Keeps a number of function processes up, and gives them to requests: requests in arrival order, idle workers last-in
/// first-out, since those have warm caches. A worker that is lost is replaced in its place; nobody else notices. One that
/// is worn is replaced between two requests.
/// Lifetime: outlives its leases. Everything runs on one executor.
class WorkerPool {
 public:
  class Lease;

  WorkerPool(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, WorkerPoolOptions options);

  /// Starts every worker. Blocks for a moment while the program is busy being written.
  /// Errors: as spawn(), of the first that could not be started.
  Error start();

  /// Waits for an idle worker.
  /// Errors: queue_full at once; queue_timeout, or no_worker if none is up by then; deadline_passed once `by` has passed;
  ///         client_gone if `gone` says so when its turn comes; draining once stop() was called.
  Task<Result<Lease>> acquire(Deadline by, std::function<bool()> gone);

  /// Asks every worker to end (TERM to its group, then end of its stdin), kills what is left at `by`; returns when all
  /// have been reaped. Whoever still waits gets draining.
  Task<void> stop(Deadline by);

  /// Kills every worker that stop() still waits for.
  void kill();

  /// Since when no worker is up; nothing while one is.
  std::optional<Clock::time_point> down_since() const { return down_since_; }

  /// Queue length times recent service time over workers: 1 to 60 s.
  seconds retry_after() const;

  std::size_t queued() const { return queue_.size(); }
  std::size_t up() const { return up_; }
  std::size_t busy() const { return busy_; }
  std::size_t size() const { return slots_.size(); }
  const WorkerPoolCounts& counts() const { return counts_; }

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;
    RestartPolicy policy;
    std::unique_ptr<Overdue> restart;
  };

  friend class WorkerRecycler;

  Error start_at_first(std::size_t slot);
  Error start_worker(std::size_t slot);
  Result<std::unique_ptr<Worker>> make_worker(std::size_t slot);
  std::unique_ptr<Worker> install(std::unique_ptr<Worker> worker);
  void start_later(std::size_t slot, nanoseconds delay);
  void worker_ended(Worker& worker, ExitStatus status);
  void hear_last_words(Worker& worker);
  void unawaited_output(Worker& worker);
  void lose(Worker& worker, RetireCause cause);
  void release(Worker& worker);
  void lend(Worker& worker, Clock::time_point now);
  void give_back(Worker& worker);
  void drop(Worker& worker, RetireCause cause);
  void retire(Worker& worker, RetireCause cause);
  void count(RetireCause cause);
  void replace(const Worker& lost);
  void dismiss(std::unique_ptr<Worker> worker, RetireCause cause);
  void abandon(std::unique_ptr<Worker> worker, RetireCause cause);
  void bury(Worker& worker);
  void log_stray(Worker& worker);

  OverdueWatch& watch_;
  Reaper& reaper_;
  Log& log_;
  FunctionLog& function_log_;
  WorkerPoolOptions options_;
  std::vector<Slot> slots_;
  std::vector<Worker*> idle_;                    // the last is given out first
  std::vector<std::unique_ptr<Worker>> retired_;  // until reaped and not leased
  WaiterQueue queue_;
  std::size_t up_ = 0;
  std::size_t busy_ = 0;
  std::optional<Clock::time_point> down_since_;
  std::optional<Clock::time_point> down_before_;  // down_since_ until the worker came that is up now
  Clock::time_point up_since_{};
  nanoseconds service_time_ = milliseconds(0);  // recent, exponentially weighted
  WorkerPoolCounts counts_;
  WorkerRecycler recycler_{*this, options_};
  bool stopping_ = false;
  Event all_buried_;
};

/// One worker for one request. Destroyed without give_back(), the worker is killed and replaced.
class WorkerPool::Lease {
 public:
  Lease(WorkerPool& pool, Worker& worker) : pool_(&pool), worker_(&worker) {}
  Lease(Lease&& other) noexcept : pool_(other.pool_), worker_(std::exchange(other.worker_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() { discard(RetireCause::broke_protocol); }

  Worker& worker() const { return *worker_; }
  FunctionProcess& process() const { return worker_->process(); }

  /// Why the worker cannot go on, if it cannot: worker_died, exec_timeout, draining or worker_protocol.
  Error failure() const;

  /// The answer ended cleanly. Bytes after it are stray output: logged, and the worker is replaced.
  void give_back() { if (Worker* worker = std::exchange(worker_, nullptr)) pool_->give_back(*worker); }

  /// The worker is not to be trusted any more.
  void discard(RetireCause cause) { if (Worker* worker = std::exchange(worker_, nullptr)) pool_->drop(*worker, cause); }

 private:
  WorkerPool* pool_;
  Worker* worker_;
};

}  // namespace fwd
