#include "watchdog/process/server_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <optional>
#include <vector>

#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

using Words = std::vector<std::string>;

/// A server process whose owner notes what it is told.
struct Fixture {
  explicit Fixture(std::vector<Words> commands_of_starts) : commands(std::move(commands_of_starts)) {}

  Result<SpawnRequest> next_command() {
    SpawnRequest request;
    request.argv = commands[std::min(asked++, commands.size() - 1)];
    return request;
  }
  bool note_end(ExitStatus status) {
    ends.push_back(status.code());
    told.wake(watch.executor());
    return again;
  }
  /// Waits for the next start or end.
  Task<void> news() { co_await told.wait(); }

  asio::io_context context{1};
  OverdueWatch watch{context.get_executor()};
  Reaper reaper{context.get_executor()};
  UniqueFd nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log{nowhere.get(), nowhere.get()};
  FunctionLog function_log{log, {}};
  std::vector<Words> commands;
  std::size_t asked = 0;
  std::size_t starts = 0;
  std::vector<int> ends;
  bool again = true;
  Event told;
  ServerProcess process{watch, reaper, log, function_log,
                        {.command = [this] { return next_command(); },
                         .started =
                             [this] {
                               ++starts;
                               told.wake(watch.executor());
                             },
                         .ended = [this](ExitStatus status) { return note_end(status); }}};
};

TEST(server_process, what_can_never_be_started_is_told_at_once) {
  Fixture fixture(std::vector<Words>{Words{"/nonexistent/program"}});
  EXPECT_EQ(fixture.process.start(), system_error(ENOENT));
  EXPECT_FALSE(fixture.process.running());
  EXPECT_EQ(fixture.process.counts().start_failures, 1U);
  EXPECT_EQ(fixture.starts, 0U);
}

TEST(server_process, whatever_ends_is_started_again_with_a_command_of_its_own) {
  Fixture fixture(std::vector<Words>{Words{PROBE_BINARY, "exit", "3"}, Words{PROBE_BINARY, "exit", "0"}, Words{PROBE_BINARY, "wait"}});
  ASSERT_FALSE(fixture.process.start());
  auto run = [](Fixture& all) -> Task<void> {
    while (all.starts < 3) co_await all.news();
    EXPECT_EQ(all.ends, (std::vector<int>{3, 0}));
    EXPECT_TRUE(all.process.running());
    EXPECT_EQ(all.process.counts().started, 3U);
    EXPECT_EQ(all.process.counts().died, 2U);
    EXPECT_EQ(all.process.counts().spawn.count, 3U);
    all.process.kill();
    while (all.ends.size() < 3) co_await all.news();
    EXPECT_EQ(all.ends.back(), 128 + SIGKILL);
    all.process.ask_to_end();
    co_await all.process.gone();
  };
  run_task(fixture.context, run(fixture));
}

TEST(server_process, a_start_that_fails_later_is_tried_again) {
  Fixture fixture(std::vector<Words>{Words{PROBE_BINARY, "exit", "1"}, Words{"/nonexistent/program"}, Words{PROBE_BINARY, "wait"}});
  ASSERT_FALSE(fixture.process.start());
  auto run = [](Fixture& all) -> Task<void> {
    while (all.starts < 2) co_await all.news();
    EXPECT_EQ(all.process.counts().start_failures, 1U);
    EXPECT_EQ(all.asked, 3U);
    all.process.ask_to_end();
    co_await all.process.gone();
  };
  run_task(fixture.context, run(fixture));
}

TEST(server_process, its_owner_may_leave_it_ended) {
  Fixture fixture(std::vector<Words>{Words{PROBE_BINARY, "exit", "5"}});
  fixture.again = false;
  ASSERT_FALSE(fixture.process.start());
  auto run = [](Fixture& all) -> Task<void> {
    co_await all.process.gone();
    Event never;
    OverdueCall later([&all, &never] { never.wake(all.watch.executor()); });
    all.watch.watch(later, milliseconds(150));  // a restart would have come after 100 ms
    co_await never.wait();
    EXPECT_EQ(all.starts, 1U);
    EXPECT_EQ(all.ends, (std::vector<int>{5}));
  };
  run_task(fixture.context, run(fixture));
}

TEST(server_process, it_is_asked_to_end_by_term_and_not_started_again) {
  Fixture fixture(std::vector<Words>{Words{PROBE_BINARY, "wait"}});
  ASSERT_FALSE(fixture.process.start());
  auto run = [](Fixture& all) -> Task<void> {
    all.process.ask_to_end();
    co_await all.process.gone();
    EXPECT_EQ(all.ends, (std::vector<int>{128 + SIGTERM}));
    EXPECT_EQ(all.process.counts().died, 0U);
    EXPECT_EQ(all.starts, 1U);
  };
  run_task(fixture.context, run(fixture));
}

TEST(server_process, its_stdin_stays_open_until_the_end) {
  Fixture fixture(std::vector<Words>{Words{PROBE_BINARY, "cat"}});
  ASSERT_FALSE(fixture.process.start());
  auto run = [](Fixture& all) -> Task<void> {
    Event never;
    OverdueCall later([&all, &never] { never.wake(all.watch.executor()); });
    all.watch.watch(later, milliseconds(30));
    co_await never.wait();
    EXPECT_TRUE(all.process.running());
    all.process.ask_to_end();
    co_await all.process.gone();
  };
  run_task(fixture.context, run(fixture));
}

}  // namespace
}  // namespace fwd
