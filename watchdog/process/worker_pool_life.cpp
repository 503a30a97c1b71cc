#include "watchdog/process/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <thread>

// The life of a worker: started, lost, replaced, ended.

namespace fwd {
namespace {

constexpr nanoseconds kLastWords = milliseconds(200);  // for what a process wrote just before it ended
constexpr nanoseconds kProof = seconds(1);            // a function that ends sooner than this was never up
constexpr nanoseconds kPatience = seconds(5);         // with a process that was asked to end
constexpr std::array<milliseconds, 3> kBusyPauses{milliseconds(10), milliseconds(50), milliseconds(100)};

}  // namespace

const char* to_string(RetireCause cause) {
  switch (cause) {
    case RetireCause::died: return "it ended";
    case RetireCause::overdue: return "it took longer than exec_timeout";
    case RetireCause::broke_protocol: return "its answer could not be understood";
    case RetireCause::left_request: return "it answered without reading the whole request";
    case RetireCause::stray_output: return "it wrote outside an answer";
    case RetireCause::recycled: return "it is worn";
    case RetireCause::stopping: return "the watchdog is stopping";
  }
  return "";
}

Error WorkerPool::start() {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    if (const Error error = start_at_first(slot)) return error;
  return {};
}

/// A program that somebody still writes (a copy, a layer being unpacked) can be started a moment later. The event loop
/// does not run yet, so this may block. Source: reliability.md 2.4 row 2.
Error WorkerPool::start_at_first(std::size_t slot) {
  for (const milliseconds pause : kBusyPauses) {
    const Error error = start_worker(slot);
    if (error != system_error(ETXTBSY)) return error;
    std::this_thread::sleep_for(pause);
  }
  return start_worker(slot);
}

Error WorkerPool::start_worker(std::size_t slot) {
  auto worker = make_worker(slot);
  if (!worker) return worker.error();
  (void)install(std::move(*worker));  // the place was empty
  return {};
}

/// A worker that is not used yet.
Result<std::unique_ptr<Worker>> WorkerPool::make_worker(std::size_t slot) {
  const auto begin = Clock::now();
  auto process = FunctionProcess::start(watch_.executor(), reaper_, function_log_, options_.command);
  if (!process) {
    ++counts_.start_failures;
    return process.error();
  }
  ++counts_.started;
  counts_.spawn.add(Clock::now() - begin);
  auto made = std::make_unique<Worker>(slot, std::move(*process));
  Worker& worker = *made;
  worker.process().on_exit([this, &worker](ExitStatus status) { worker_ended(worker, status); });
  worker.process().answers().on_unawaited([this, &worker] { unawaited_output(worker); });
  worker.process().answers().start();
  return made;
}

/// Puts a worker into its place and to work; returns the one that was there.
std::unique_ptr<Worker> WorkerPool::install(std::unique_ptr<Worker> worker) {
  if (up_++ == 0) {
    up_since_ = Clock::now();
    down_before_ = std::exchange(down_since_, std::nullopt);
  }
  Worker& fresh = *worker;
  auto before = std::exchange(slots_[fresh.slot()].worker, std::move(worker));
  recycler_.begin_life(fresh);
  release(fresh, Clock::now());
  return before;
}

void WorkerPool::start_later(std::size_t slot, nanoseconds delay) {
  auto restart = [this, slot] {
    const Error error = start_worker(slot);
    if (!error) return;
    const nanoseconds next = slots_[slot].policy.delay_after_death(false);
    log_.say("The function could not be started: " + error.message() + "; trying again in " + to_go_string(next));
    watch_.watch(*slots_[slot].restart, next);
  };
  slots_[slot].restart = make_overdue_call(std::move(restart));
  watch_.watch(*slots_[slot].restart, Clock::now() + delay);
}

/// Takes a worker out of use for good, kills its process group, and replaces it.
void WorkerPool::retire(Worker& worker, RetireCause cause) {
  if (worker.state_ == Worker::State::retired) return;
  if (stopping_) cause = RetireCause::stopping;
  if (worker.state_ == Worker::State::idle) std::erase(idle_, &worker);
  worker.state_ = Worker::State::retired;
  worker.retire_cause_ = cause;
  if (worker.due_) watch_.forget(*worker.due_);
  if (worker.last_words_) watch_.forget(*worker.last_words_);
  worker.old_age_.reset();
  worker.process().abandon();
  worker.process().answers().interrupt(watch_.executor());
  if (!worker.turns_.empty()) lose_turns(worker, std::next(worker.turns_.begin()));
  count(cause);
  if (cause != RetireCause::stopping)
    log_.say("Replacing function process " + std::to_string(worker.process().pid()) + ": " + to_string(cause));
  if (--up_ == 0) {
    const auto now = Clock::now();
    down_since_ = down_before_ && now - up_since_ < kProof ? *down_before_ : now;
  }

  Slot& slot = slots_[worker.slot()];
  if (cause == RetireCause::overdue && std::exchange(slot.pipeline, 1) > 1)  // it may hang again, with others behind it
    log_.say("From now on the process in its place gets one request at a time");
  retired_.push_back(std::move(slot.worker));
  if (!stopping_) replace(worker);
}

/// Requests that were behind another when their worker was lost share its fate, not its error.
void WorkerPool::lose_turns(Worker& worker, Turns::iterator from) {
  for (; from != worker.turns_.end(); ++from) {
    from->lost_ = true;
    from->changed.wake(watch_.executor());
  }
}

void WorkerPool::count(RetireCause cause) {
  switch (cause) {
    case RetireCause::died: ++counts_.died; break;
    case RetireCause::overdue: ++counts_.overdue; break;
    case RetireCause::broke_protocol:
    case RetireCause::left_request: ++counts_.broke_protocol; break;
    case RetireCause::stray_output: ++counts_.stray_output; break;
    case RetireCause::recycled:
    case RetireCause::stopping: break;
  }
}

void WorkerPool::replace(const Worker& lost) {
  if (auto successor = recycler_.take_successor(lost)) {
    (void)install(std::move(successor));
    return recycler_.next();
  }
  const RetireCause cause = lost.retire_cause();
  const bool at_fault = cause == RetireCause::died || cause == RetireCause::stray_output;
  start_later(lost.slot(), slots_[lost.slot()].policy.delay_after_death(lost.answered_ > 0 || !at_fault));
}

/// Asks a worker that is idle, or was never used, to end; its output goes to the log until it does.
void WorkerPool::dismiss(std::unique_ptr<Worker> dismissed, RetireCause cause) {
  Worker& worker = *dismissed;
  if (worker.state_ != Worker::State::starting) --up_;
  std::erase(idle_, &worker);
  worker.state_ = Worker::State::retired;
  worker.retire_cause_ = cause;
  worker.old_age_.reset();
  worker.process().signal(SIGTERM);
  worker.process().close_input();
  worker.end_of_patience_ = make_overdue_call([&worker] { worker.process().signal(SIGKILL); });
  watch_.watch(*worker.end_of_patience_, kPatience);
  retired_.push_back(std::move(dismissed));
}

/// Kills a successor that was never used.
void WorkerPool::abandon(std::unique_ptr<Worker> abandoned, RetireCause cause) {
  Worker& worker = *abandoned;
  worker.state_ = Worker::State::retired;
  worker.retire_cause_ = cause;
  worker.process().abandon();
  retired_.push_back(std::move(abandoned));
}

void WorkerPool::worker_ended(Worker& worker, ExitStatus status) {
  const bool by_us = worker.state_ == Worker::State::retired && worker.retire_cause_ != RetireCause::died;
  if (!stopping_ && !by_us) log_.say("Forked function has terminated: " + status.text());
  if (worker.state_ == Worker::State::busy) {
    worker.last_words_ = make_overdue_call([this, &worker] { hear_last_words(worker); });
    return watch_.watch(*worker.last_words_, kLastWords);
  }
  if (worker.state_ != Worker::State::retired) lose(worker, RetireCause::died);
  bury(worker);
}

/// The answer of a process that has ended may still be in its pipe. The end of the pipe comes next, unless a process
/// outside its group holds it; a reader that waits has taken all there is.
void WorkerPool::hear_last_words(Worker& worker) {
  FunctionProcess& process = worker.process();
  if (process.answers().awaited() && !process.has_untold_output()) return retire(worker, RetireCause::died);
  watch_.watch(*worker.last_words_, kLastWords);
}

/// Forgets a retired worker once its process has been reaped and nobody holds it.
void WorkerPool::bury(Worker& worker) {
  if (worker.leases_ > 0 || !worker.process().exited()) return;
  std::erase_if(retired_, [&worker](const auto& each) { return each.get() == &worker; });
  if (stopping_ && retired_.empty() && up_ == 0) all_buried_.wake(watch_.executor());
}

Task<void> WorkerPool::stop(Deadline by) {
  stopping_ = true;
  queue_.fail_all(Errc::draining);
  if (auto successor = recycler_.stop()) dismiss(std::move(successor), RetireCause::stopping);
  for (Slot& slot : slots_) {
    slot.restart.reset();
    if (!slot.worker) continue;
    slot.worker->process().signal(SIGTERM);
    slot.worker->process().close_input();
  }
  OverdueCall kill_the_rest([this] { kill(); });
  watch_.watch(kill_the_rest, by);
  while (up_ > 0 || !retired_.empty()) co_await all_buried_.wait();
}

void WorkerPool::kill() {
  for (Slot& slot : slots_)
    if (slot.worker) retire(*slot.worker, RetireCause::stopping);
  for (const auto& worker : retired_) worker->process().signal(SIGKILL);  // those that were asked to end
}

}  // namespace fwd
