#include "watchdog/process/function_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

TEST(FunctionProcess, knows_of_output_and_an_end_that_the_event_loop_has_not_told_yet) {
  asio::io_context context(1);
  Reaper reaper(context.get_executor());
  const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  Log log(nowhere.get(), nowhere.get());
  FunctionLog function_log(log, {});
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", "read line; echo \"$line\""};
  auto started = FunctionProcess::start(context.get_executor(), reaper, function_log, request);
  ASSERT_TRUE(started) << started.error().message();
  FunctionProcess& process = **started;
  EXPECT_FALSE(process.has_untold_output());
  EXPECT_FALSE(process.has_untold_end());

  Error error;
  process.input().write_some(asio::buffer("hello\n", 6), error);
  EXPECT_FALSE(error);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process.pid()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(process.has_untold_output()) << "the loop has not run: nobody has read it";
  EXPECT_TRUE(process.has_untold_end());

  auto script = [&]() -> Task<void> {
    std::string text;
    while (!co_await process.answers().more()) {
      text.append(process.answers().data());
      process.answers().consume(process.answers().data().size());
    }
    EXPECT_EQ(text, "hello\n");
    while (!process.exited()) co_await asio::post(context, asio::use_awaitable_t<Executor>());
  };
  run_task(context, script());
  EXPECT_FALSE(process.has_untold_end());
}

}  // namespace
}  // namespace fwd
