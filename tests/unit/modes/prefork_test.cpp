#include "modes/prefork.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

TEST(Prefork, hands_out_no_process_whose_end_the_event_loop_has_not_told_yet) {
  asio::io_context context(1);
  OverdueWatch watch(context.get_executor());
  Reaper reaper(context.get_executor());
  const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  Log log(nowhere.get(), nowhere.get());
  SpawnRequest command;
  command.argv = {PROBE_BINARY, "cat"};
  std::vector<std::unique_ptr<Child>> children;
  Prefork prefork(watch, log, 2, milliseconds(10), [&]() -> Result<Child*> {
    auto child = Child::start(watch, reaper, log, {}, command);
    if (!child) return child.error();
    (*child)->on_end([&prefork](Child& ended) { (void)prefork.ended(ended); });
    return children.emplace_back(std::move(*child)).get();
  });
  prefork.begin();
  const auto turn_of_the_loop = [&]() -> Task<void> { co_await asio::post(context, asio::use_awaitable_t<Executor>()); };
  auto script = [&]() -> Task<void> {
    while (prefork.idle() < 2) co_await turn_of_the_loop();
    const pid_t first = children[0]->process().pid();
    EXPECT_EQ(::kill(first, SIGKILL), 0);
    siginfo_t ended{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(first), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(prefork.take(), children[1].get());
    EXPECT_EQ(prefork.take(), nullptr) << "the dead one";
    while (prefork.idle() < 2 || !children[0]->status()) co_await turn_of_the_loop();
    EXPECT_EQ(children.size(), 4U) << "both were replaced";
    prefork.stop();
  };
  run_task(context, script());
}

}  // namespace
}  // namespace fwd
