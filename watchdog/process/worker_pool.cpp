#include "watchdog/process/worker_pool.hpp"

#include <algorithm>

namespace fwd {
namespace {

constexpr seconds kShortestRetry{1}, kLongestRetry{60};
constexpr int kServiceTimeWeight = 8;  // a new sample counts one eighth

}  // namespace

WorkerPool::WorkerPool(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log,
                       WorkerPoolOptions options)
    : watch_(watch), reaper_(reaper), log_(log), function_log_(function_log), options_(std::move(options)), queue_(watch) {
  slots_.resize(options_.workers);
  for (Slot& slot : slots_) slot.pipeline = options_.pipeline;
  idle_.reserve(options_.workers);
}

Task<Result<WorkerPool::Lease>> WorkerPool::acquire(Deadline by, std::function<bool()> gone, Placement placement) {
  if (stopping_) co_return Errc::draining;
  const auto now = Clock::now();
  if (by <= now) co_return Errc::deadline_passed;
  if (Worker* worker = take_free(placement)) {
    lend(*worker, now);
    counts_.wait.add(nanoseconds::zero());
    co_return Lease(*this, *worker);
  }
  if (queue_.size() >= options_.max_queue) queue_.drop_gone();
  if (queue_.size() >= options_.max_queue) co_return Errc::queue_full;

  Waiter waiter(std::move(gone), placement);
  const Deadline queue_end = deadline_after(now, options_.max_queue_wait);
  co_await queue_.settled(waiter, std::min(by, queue_end));
  if (waiter.worker() != nullptr) {
    counts_.wait.add(waiter.waited());
    co_return Lease(*this, *waiter.worker());
  }
  if (!waiter.expired()) co_return waiter.error();
  co_return by <= queue_end ? Errc::deadline_passed : up_ > 0 ? Errc::queue_timeout : Errc::no_worker;
}

/// The worker that a request gets without waiting: the one that was idle last, else the one with the fewest requests.
Worker* WorkerPool::take_free(Placement placement) {
  if (!idle_.empty()) {
    Worker* const worker = idle_.back();
    idle_.pop_back();
    return worker;
  }
  if (placement == Placement::alone || queue_.size() > 0) return nullptr;
  Worker* best = nullptr;
  for (const Slot& slot : slots_) {
    Worker* const worker = slot.worker.get();
    if (worker == nullptr || !takes_more(*worker)) continue;
    if (best == nullptr || worker->leases_ < best->leases_) best = worker;
  }
  return best;
}

/// Whether a busy worker can be given another request behind those that it has.
bool WorkerPool::takes_more(const Worker& worker) const {
  return worker.open_ && !worker.streaming_ && worker.leases_ < slots_[worker.slot()].pipeline &&
         !worker.process_->exited() && !recycler_.waits_for(worker);
}

/// Gives an idle worker to whoever has waited longest, or lays it aside.
void WorkerPool::release(Worker& worker, Clock::time_point now) {
  worker.state_ = Worker::State::idle;
  if (queue_.give(worker, Placement::alone, now)) return lend(worker, now);
  idle_.push_back(&worker);
}

/// Gives a place behind others to whoever has waited longest. One at a time: the next is offered once that request has
/// been written, so that no two are written at once.
void WorkerPool::offer(Worker& worker, Clock::time_point now) {
  if (takes_more(worker) && queue_.give(worker, Placement::behind_others, now)) lend(worker, now);
}

void WorkerPool::lend(Worker& worker, Clock::time_point now) {
  worker.open_ = false;
  if (worker.leases_++ > 0) return;
  worker.state_ = Worker::State::busy;
  ++busy_;
  start_clock(worker, now);
}

/// The oldest request that the worker has is its turn now.
void WorkerPool::start_clock(Worker& worker, Clock::time_point now) {
  worker.handed_over_ = now;
  if (options_.exec_timeout <= nanoseconds::zero()) return;
  if (!worker.due_) worker.due_ = make_overdue_call([this, &worker] { retire(worker, RetireCause::overdue); });
  watch_.watch(*worker.due_, now + options_.exec_timeout);
}

void WorkerPool::enter(Worker& worker, Turn& turn, std::uint64_t bytes) {
  worker.written_ += bytes;
  turn.end_ = worker.written_;
  worker.turns_.push_back(turn);
}

void WorkerPool::give_back(Worker& worker) {
  if (--worker.leases_ == 0) --busy_;
  if (worker.state_ == Worker::State::retired) return bury(worker);
  const auto now = Clock::now();
  ++worker.answered_;
  service_time_ += (now - worker.handed_over_ - service_time_) / kServiceTimeWeight;
  worker.streaming_ = false;
  recycler_.look(worker, now);
  if (worker.leases_ > 0) return hand_on(worker, now);
  if (worker.due_) watch_.forget(*worker.due_);
  auto& answers = worker.process().answers();
  const bool stray = !answers.data().empty();
  if (stray) log_stray(worker);
  worker.process().call_id({});
  if (stray && options_.replace_on_stray) {
    retire(worker, RetireCause::stray_output);
    return bury(worker);
  }
  if (answers.failure() || worker.process().exited()) {
    retire(worker, RetireCause::died);
    return bury(worker);
  }
  answers.start();
  if (!recycler_.replaced(worker)) release(worker, now);
}

/// One request is answered, and the worker has others: it is the next one's turn.
void WorkerPool::hand_on(Worker& worker, Clock::time_point now) {
  worker.process().call_id({});
  start_clock(worker, now);
  if (!worker.turns_.empty()) worker.turns_.front().changed.wake(watch_.executor());
  offer(worker, now);
}

void WorkerPool::drop(Worker& worker, RetireCause cause) {
  if (--worker.leases_ == 0) --busy_;
  if (worker.state_ != Worker::State::retired) {
    lose_turns(worker, worker.turns_.begin());  // the one that is dropped has left the order
    retire(worker, cause);
  }
  bury(worker);
}

/// Nobody could be written to it, so it has ended or is about to: those before will see. It takes no more until it is idle.
void WorkerPool::leave(Worker& worker) {
  if (--worker.leases_ == 0) --busy_;
  bury(worker);
}

/// Bytes or the end of its output, while nobody asks this worker for an answer.
void WorkerPool::unawaited_output(Worker& worker) {
  if (worker.state_ == Worker::State::busy) return;  // whoever holds the lease will look
  auto& answers = worker.process().answers();
  if (!answers.data().empty()) log_stray(worker);
  const RetireCause cause = answers.failure() ? RetireCause::died : RetireCause::stray_output;
  if (cause == RetireCause::died || (options_.replace_on_stray && worker.state_ != Worker::State::retired))
    return lose(worker, cause);
  answers.start();
}

/// A worker that nobody holds cannot go on.
void WorkerPool::lose(Worker& worker, RetireCause cause) {
  if (worker.state_ == Worker::State::starting) return recycler_.successor_failed(to_string(cause));
  retire(worker, cause);
}

void WorkerPool::log_stray(Worker& worker) {
  auto& answers = worker.process().answers();
  LineSplitter lines(function_log_.line_bytes(), [this, &worker](std::string_view line) {
    function_log_.line(FunctionStream::standard_output, line, worker.process().call_id());
  });
  lines.feed(answers.data());
  lines.end();
  answers.consume(answers.data().size());
}

seconds WorkerPool::retry_after() const {
  const auto wait = service_time_ * static_cast<std::int64_t>(queue_.size() + 1) /
                    static_cast<std::int64_t>(std::max<std::size_t>(slots_.size(), 1));
  return std::clamp(std::chrono::ceil<seconds>(wait), kShortestRetry, kLongestRetry);
}

void WorkerPool::Lease::written() const {
  worker_->open_ = true;
  pool_->offer(*worker_, Clock::now());
}

Error WorkerPool::Lease::failure() const {
  if (pool_->stopping_) return Errc::draining;  // it ended because we told it to
  if (lost()) return Errc::worker_died;
  if (worker_->state() != Worker::State::retired) return worker_->process().exited() ? Errc::worker_died : Error{};
  switch (worker_->retire_cause()) {
    case RetireCause::overdue: return Errc::exec_timeout;
    case RetireCause::stopping: return Errc::draining;
    case RetireCause::broke_protocol: return Errc::worker_protocol;
    default: return Errc::worker_died;
  }
}

}  // namespace fwd
