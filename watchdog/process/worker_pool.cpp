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
  idle_.reserve(options_.workers);
}

Task<Result<WorkerPool::Lease>> WorkerPool::acquire(Deadline by, std::function<bool()> gone) {
  if (stopping_) co_return Errc::draining;
  const auto now = Clock::now();
  if (by <= now) co_return Errc::deadline_passed;
  if (!idle_.empty()) {
    Worker& worker = *idle_.back();
    idle_.pop_back();
    lend(worker, now);
    counts_.wait.add(nanoseconds::zero());
    co_return Lease(*this, worker);
  }
  if (queue_.size() >= options_.max_queue) queue_.drop_gone();
  if (queue_.size() >= options_.max_queue) co_return Errc::queue_full;

  Waiter waiter(std::move(gone));
  const Deadline queue_end = deadline_after(now, options_.max_queue_wait);
  co_await queue_.settled(waiter, std::min(by, queue_end));
  if (waiter.worker() != nullptr) {
    counts_.wait.add(waiter.worker()->handed_over_ - now);
    co_return Lease(*this, *waiter.worker());
  }
  if (!waiter.expired()) co_return waiter.error();
  co_return by <= queue_end ? Errc::deadline_passed : up_ > 0 ? Errc::queue_timeout : Errc::no_worker;
}

/// Gives an idle worker to whoever has waited longest, or lays it aside.
void WorkerPool::release(Worker& worker) {
  worker.state_ = Worker::State::idle;
  if (queue_.give(worker)) return lend(worker, Clock::now());
  idle_.push_back(&worker);
}

void WorkerPool::lend(Worker& worker, Clock::time_point now) {
  worker.state_ = Worker::State::busy;
  worker.leased_ = true;
  worker.handed_over_ = now;
  ++busy_;
  if (options_.exec_timeout <= nanoseconds::zero()) return;
  if (!worker.due_) worker.due_ = make_overdue_call([this, &worker] { retire(worker, RetireCause::overdue); });
  watch_.watch(*worker.due_, now + options_.exec_timeout);
}

void WorkerPool::give_back(Worker& worker) {
  worker.leased_ = false;
  --busy_;
  if (worker.state_ == Worker::State::retired) return bury(worker);
  if (worker.due_) watch_.forget(*worker.due_);
  ++worker.answered_;
  service_time_ += (Clock::now() - worker.handed_over_ - service_time_) / kServiceTimeWeight;
  auto& answers = worker.process().answers();
  const bool stray = !answers.data().empty();
  if (stray) log_stray(worker);
  if (stray && options_.replace_on_stray) {
    retire(worker, RetireCause::stray_output);
    return bury(worker);
  }
  if (answers.failure() || worker.process().exited()) {
    retire(worker, RetireCause::died);
    return bury(worker);
  }
  answers.start();
  if (!recycler_.replaced(worker)) release(worker);
}

void WorkerPool::drop(Worker& worker, RetireCause cause) {
  worker.leased_ = false;
  --busy_;
  if (worker.state_ != Worker::State::retired) retire(worker, cause);
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
  LineSplitter lines(function_log_.line_bytes(), [this](std::string_view line) {
    function_log_.line(FunctionStream::standard_output, line);
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

Error WorkerPool::Lease::failure() const {
  if (pool_->stopping_) return Errc::draining;  // it ended because we told it to
  if (worker_->state() != Worker::State::retired) return worker_->process().exited() ? Errc::worker_died : Error{};
  switch (worker_->retire_cause()) {
    case RetireCause::overdue: return Errc::exec_timeout;
    case RetireCause::stopping: return Errc::draining;
    case RetireCause::broke_protocol: return Errc::worker_protocol;
    default: return Errc::worker_died;
  }
}

}  // namespace fwd
