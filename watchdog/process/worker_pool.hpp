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
  std::size_t pipeline = 1;                // requests that one worker is given ahead; over 1, callers use Lease::enter
  std::size_t max_queue = 1024;            // requests that wait
  nanoseconds max_queue_wait = seconds(10);  // zero or less: no limit
  nanoseconds exec_timeout = seconds(30);    // zero or less: no limit
  bool replace_on_stray = true;              // false: stray output is only logged

  // When a worker is recycled, between two requests; zero: never.
  std::size_t max_requests = 0;  // each worker draws its own limit, 90 to 100 % of it
  nanoseconds max_lifetime{0};
  std::uint64_t max_rss_bytes = 0;
  nanoseconds warm_up = milliseconds(500);  // what a successor has for getting ready; no process tells when it is
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
/// is worn is replaced between two requests. Where a worker takes several requests ahead, one that is given another is the
/// one that has the fewest, and only when none is idle.
/// Lifetime: outlives its leases. Everything runs on one executor.
class WorkerPool {
 public:
  class Lease;

  WorkerPool(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, WorkerPoolOptions options);

  /// Starts every worker. Blocks for a moment while the program is busy being written.
  /// Errors: as spawn(), of the first that could not be started.
  Error start();

  /// Waits for a worker that is idle or, with Placement::behind_others, takes another request.
  /// Errors: queue_full at once; queue_timeout, or no_worker if none is up by then; deadline_passed once `by` has passed;
  ///         client_gone if `gone` says so when its turn comes; draining once stop() was called.
  Task<Result<Lease>> acquire(Deadline by, std::function<bool()> gone, Placement placement = Placement::alone);

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
    std::size_t pipeline;  // one after the first timeout here
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
  Worker* take_free(Placement placement);
  bool takes_more(const Worker& worker) const;
  void release(Worker& worker, Clock::time_point now);
  void offer(Worker& worker, Clock::time_point now);
  void lend(Worker& worker, Clock::time_point now);
  void start_clock(Worker& worker, Clock::time_point now);
  void enter(Worker& worker, Turn& turn, std::uint64_t bytes);
  void give_back(Worker& worker);
  void hand_on(Worker& worker, Clock::time_point now);
  void drop(Worker& worker, RetireCause cause);
  void leave(Worker& worker);
  void lose_turns(Worker& worker, Turns::iterator from);
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
  Lease(Lease&& other) noexcept
      : pool_(other.pool_), worker_(std::exchange(other.worker_, nullptr)), turn_(std::exchange(other.turn_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() { discard(RetireCause::broke_protocol); }

  Worker& worker() const { return *worker_; }
  FunctionProcess& process() const { return worker_->process(); }

  /// Why the worker cannot go on, if it cannot: worker_died, exec_timeout, draining or worker_protocol.
  Error failure() const;

  /// The answer ended cleanly. Bytes after it are stray output: logged, and the worker is replaced. With other requests
  /// behind this one they are the next answer.
  void give_back() { if (Worker* worker = leave_order()) pool_->give_back(*worker); }

  /// The worker is not to be trusted any more. Requests behind this one are lost with it.
  void discard(RetireCause cause) { if (Worker* worker = leave_order()) pool_->drop(*worker, cause); }

  // Where a worker may have several requests.

  /// Whether it may.
  bool pipelined() const { return pool_->options_.pipeline > 1; }

  /// Whether it has no other request now.
  bool alone() const { return worker_->leases_ == 1; }

  /// Takes the place at the end of the worker's order. Called right before the request's first byte is written; `turn`
  /// outlives the lease. `bytes`: of the whole request.
  void enter(Turn& turn, std::uint64_t bytes) { pool_->enter(*worker_, *(turn_ = &turn), bytes); }

  /// The request has been written to its end: another may follow it.
  void written() const;

  /// Its answer is long: no more requests behind it.
  void keep_others_off() const { worker_->streaming_ = true; }

  /// Every request before this one has been answered: the next answer is its own.
  bool is_first() const { return turn_ == nullptr || &worker_->turns_.front() == turn_; }

  /// The worker was lost while others were before this one.
  bool lost() const { return turn_ != nullptr && turn_->lost_; }

  /// Bytes of the requests behind this one.
  std::uint64_t bytes_behind() const { return turn_ == nullptr ? 0 : worker_->written_ - turn_->end_; }

  /// Gives the place up without a byte written, while others have the worker.
  void leave() { if (Worker* worker = leave_order()) pool_->leave(*worker); }

 private:
  Worker* leave_order();

  WorkerPool* pool_;
  Worker* worker_;
  Turn* turn_ = nullptr;
};

inline Worker* WorkerPool::Lease::leave_order() {
  if (turn_ != nullptr) std::exchange(turn_, nullptr)->unlink();
  return std::exchange(worker_, nullptr);
}

}  // namespace fwd
