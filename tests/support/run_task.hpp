#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "watchdog/base/task.hpp"

namespace fwd {

/// Runs `task` and whatever it starts. Fails the test if the task is not done within `budget`: that is a hang, and no
/// measure of time.
inline void run_task(asio::io_context& context, Task<void> task,
                     std::chrono::seconds budget = std::chrono::seconds(20)) {
  (void)std::signal(SIGPIPE, SIG_IGN);  // as main() does
  bool done = false;
  auto run = [](Task<void> inner, bool& finished, asio::io_context& loop) -> Task<void> {
    co_await std::move(inner);
    finished = true;
    loop.stop();
  };
  start(context.get_executor(), run(std::move(task), done, context));
  context.restart();
  context.run_for(budget);
  ASSERT_TRUE(done) << "the task did not end";
}

}  // namespace fwd
