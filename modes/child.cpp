#include "modes/child.hpp"

#include <csignal>

namespace fwd {
namespace {

constexpr nanoseconds kLastWords = milliseconds(200);  // for the end of a pipe whose process has ended

constexpr nanoseconds kNews = milliseconds(10);  // until the event loop tells what has happened already

}  // namespace

Child::Child(OverdueWatch& watch, Log& log, const FunctionLogOptions& log_options)
    : watch_(watch), log_(log, log_options), started_(Clock::now()) {}

Result<std::unique_ptr<Child>> Child::start(OverdueWatch& watch, Reaper& reaper, Log& log,
                                            const FunctionLogOptions& log_options, const SpawnRequest& request) {
  std::unique_ptr<Child> child(new Child(watch, log, log_options));
  auto process = FunctionProcess::start(watch.executor(), reaper, child->log_, request);
  if (!process) return process.error();
  child->process_ = std::move(*process);
  child->process_->on_exit([raw = child.get()](ExitStatus status) { raw->reaped(status); });
  return child;
}

void Child::fail(const Error& reason) {
  if (failure_ || status_) return;
  failure_ = reason;
  process_->abandon();
  interrupt();
}

void Child::limit(Deadline due) { watch_.watch(*this, due); }

/// Before its end: exec_timeout. Afterwards: its last words have had their time, if somebody listens.
void Child::overdue() {
  if (!status_) return fail(Errc::exec_timeout);
  if (!process_->answers().awaited() || process_->has_untold_output()) return watch_.watch(*this, kLastWords);
  silent_ = true;
  interrupt();
}

void Child::reaped(ExitStatus status) {
  status_ = status;
  if (terminated_ && !failure_ && status.code() != 0) failure_ = Errc::draining;
  watch_.watch(*this, kLastWords);
  if (process_->answers().failure()) watch_.forget(*this);
  ended_.wake(watch_.executor());
  if (tell_end_) tell_end_();
  const auto call = std::move(on_end_);
  if (call) call(*this);
}

Task<Error> Child::more_output() {
  if (failure_) co_return failure_;
  Error error = asio::error::eof;
  if (!silent_) error = co_await process_->answers().more();
  if (failure_) co_return failure_;
  if (error == asio::error::operation_aborted && !silent_) co_return error;
  co_return error ? Error(asio::error::eof) : Error{};
}

Task<void> Child::ended(Deadline by) {
  OverdueCall tired([this] { ended_.wake(watch_.executor()); });
  for (bool untold = true; !status_ && untold; by = Clock::now() + kNews) {
    watch_.watch(tired, by);
    co_await ended_.wait();
    untold = process_->has_untold_end();
  }
}

void Child::terminate() {
  terminated_ = true;
  process_->signal(SIGTERM);
}

void Child::ignore_output() {
  auto& answers = process_->answers();
  answers.on_unawaited([&answers] {
    answers.consume(answers.data().size());
    answers.start();
  });
  answers.consume(answers.data().size());
  answers.start();
}

}  // namespace fwd
