#pragma once

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/support/run_task.hpp"
#include "watchdog/process/worker_pool.hpp"

namespace fwd {

/// A pool of `probe cat`, whose answers are what was written to it.
class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPool& make(std::size_t workers, std::size_t max_queue = 8, nanoseconds max_queue_wait = seconds(10),
                   nanoseconds exec_timeout = seconds(10), std::vector<std::string> argv = {PROBE_BINARY, "cat"}) {
    WorkerPoolOptions options;
    options.pipeline = pipeline_;
    options.command.argv = std::move(argv);
    options.workers = workers;
    options.max_queue = max_queue;
    options.max_queue_wait = max_queue_wait;
    options.exec_timeout = exec_timeout;
    pool_.emplace(watch_, reaper_, log_, function_log_, std::move(options));
    EXPECT_FALSE(pool_->start());
    return *pool_;
  }

  /// Ends every process, whatever the test did.
  Task<void> end() { co_await pool_->stop(Clock::now()); }

  static Task<Result<WorkerPool::Lease>> take(WorkerPool& pool, Deadline by = kNever,
                                              Placement placement = Placement::alone) {
    std::function<bool()> here = [] { return false; };
    co_return co_await pool.acquire(by, std::move(here), placement);
  }

  static void ask(WorkerPool::Lease& lease, std::string_view text) {
    Error error;
    lease.process().input().write_some(asio::buffer(text), error);
    EXPECT_FALSE(error) << error.message();
  }

  static Task<std::string> answer(WorkerPool::Lease& lease, std::size_t bytes) {
    auto& answers = lease.process().answers();
    while (answers.data().size() < bytes)
      if (co_await answers.more()) break;
    std::string text(answers.data());
    answers.consume(text.size());
    co_return text;
  }

  std::size_t pipeline_ = 1;
  asio::io_context context_{1};
  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
  FunctionLog function_log_{log_, {}};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  std::optional<WorkerPool> pool_;
};

}  // namespace fwd
