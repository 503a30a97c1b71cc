#include "modes/children.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

class ChildrenTest : public testing::Test {
 protected:
  static ChildrenOptions options(std::vector<std::string> argv) {
    ChildrenOptions result;
    result.argv = std::move(argv);
    return result;
  }

  Children& make(ChildrenOptions options) {
    children_.emplace(watch_, reaper_, log_, FunctionLogOptions{}, std::move(options));
    EXPECT_FALSE(children_->start());
    return *children_;
  }

  static Task<Result<Children::Lease>> take(Children& children, Deadline by = kNever) {
    std::function<bool()> here = [] { return false; };
    ChildStart request;
    co_return co_await children.acquire(std::move(request), by, std::move(here));
  }

  /// Everything that it writes; its stdin is ended.
  static Task<std::string> output(Child& child) {
    child.process().close_input();
    Error error;
    while (!error) error = co_await child.more_output();
    co_await child.ended(kNever);
    co_return std::string(child.process().answers().data());
  }

  Task<void> end() { co_await children_->stop(Clock::now()); }

  asio::io_context context_{1};
  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  std::optional<Children> children_;
};

TEST_F(ChildrenTest, a_process_gets_the_environment_with_what_its_request_adds) {
  ChildrenOptions with = options({PROBE_BINARY, "environment", "NAME"});
  with.environment = {"NAME=ours"};
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    ChildStart request;
    request.variables.push_back("NAME=theirs");
    std::function<bool()> here = [] { return false; };
    auto first = co_await children.acquire(std::move(request), kNever, std::move(here));
    EXPECT_EQ(co_await output(first->child()), "theirs");
    auto second = co_await take(children);
    EXPECT_EQ(co_await output(second->child()), "ours");
    EXPECT_EQ(second->child().status()->code(), 0);
    EXPECT_EQ(children.stats().started, 2U);
    EXPECT_EQ(children.stats().spawn.count, 2U);
    EXPECT_EQ(children.stats().busy, 0U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, a_lease_that_is_dropped_kills_its_process) {
  Children& children = make(options({PROBE_BINARY, "wait"}));
  auto script = [&]() -> Task<void> {
    pid_t pid = 0;
    {
      auto lease = co_await take(children);
      pid = lease->child().process().pid();
      EXPECT_EQ(::kill(pid, 0), 0);
      EXPECT_EQ(children.stats().busy, 1U);
    }
    co_await children.stop(kNever);
    EXPECT_NE(::kill(pid, 0), 0);
    EXPECT_EQ(children.stats().losses.broke_protocol, 1U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, exec_timeout_kills_the_process_and_ends_the_wait) {
  ChildrenOptions with = options({PROBE_BINARY, "wait"});
  with.exec_timeout = milliseconds(20);
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(children);
    EXPECT_EQ(co_await lease->child().more_output(), Errc::exec_timeout);
    co_await lease->child().ended(kNever);
    EXPECT_EQ(lease->child().status()->text(), "signal: killed");
    EXPECT_EQ(children.stats().losses.overdue, 1U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, a_process_that_was_left_runs_on_until_exec_timeout) {
  ChildrenOptions with = options({PROBE_BINARY, "wait"});
  with.exec_timeout = milliseconds(20);
  with.max_children = 1;
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(children);
    lease->leave();
    EXPECT_EQ(children.stats().busy, 1U);
    auto next = co_await take(children);  // its turn comes with the end of the other
    EXPECT_TRUE(next);
    EXPECT_EQ(children.stats().losses.overdue, 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, turns_are_given_in_arrival_order_and_the_queue_is_bounded) {
  ChildrenOptions with = options({PROBE_BINARY, "cat"});
  with.max_children = 1;
  with.max_queue = 2;
  Children& children = make(std::move(with));
  std::vector<int> order;
  int done = 0;
  auto wait = [&](int number) -> Task<void> {
    auto lease = co_await take(children);
    EXPECT_TRUE(lease);
    order.push_back(number);
    (void)co_await output(lease->child());
    ++done;
  };
  auto script = [&]() -> Task<void> {
    auto first = co_await take(children);
    start(context_.get_executor(), wait(1));
    start(context_.get_executor(), wait(2));
    Event later;
    OverdueCall soon([&] { later.wake(context_.get_executor()); });
    watch_.watch(soon, milliseconds(1));
    co_await later.wait();
    EXPECT_EQ(children.stats().queued, 2U);
    EXPECT_EQ((co_await take(children)).error(), Errc::queue_full);
    (void)co_await output(first->child());
    while (done < 2 || children.stats().busy > 0) {
      watch_.watch(soon, milliseconds(1));
      co_await later.wait();
    }
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    EXPECT_EQ(children.stats().wait.count, 2U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, a_wait_for_a_turn_ends_at_its_deadline_or_after_max_queue_wait) {
  ChildrenOptions with = options({PROBE_BINARY, "wait"});
  with.max_children = 1;
  with.max_queue_wait = milliseconds(10);
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    auto first = co_await take(children);
    EXPECT_EQ((co_await take(children)).error(), Errc::queue_timeout);
    EXPECT_EQ((co_await take(children, Clock::now() + milliseconds(1))).error(), Errc::deadline_passed);
    EXPECT_EQ((co_await take(children, Clock::now())).error(), Errc::deadline_passed);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, stop_asks_first_and_then_kills) {
  Children& children = make(options({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"}));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(children);
    EXPECT_FALSE(co_await lease->child().more_output());
    co_await children.stop(Clock::now() + milliseconds(30));
    EXPECT_EQ(lease->child().status()->text(), "signal: killed");
    EXPECT_EQ(lease->child().failure(), Errc::draining);
    EXPECT_EQ((co_await take(children)).error(), Errc::draining);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, a_process_that_ends_for_stop_fails_its_request_as_draining) {
  Children& children = make(options({PROBE_BINARY, "wait"}));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(children);
    co_await children.stop(kNever);
    EXPECT_EQ(lease->child().status()->text(), "signal: terminated");
    EXPECT_EQ(co_await lease->child().more_output(), Errc::draining);
    EXPECT_EQ(children.stats().losses.died, 0U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, a_program_that_is_not_there_is_told_at_start) {
  children_.emplace(watch_, reaper_, log_, FunctionLogOptions{}, options({"no-such-program"}));
  EXPECT_EQ(children_->start(), system_error(ENOENT));
  children_.emplace(watch_, reaper_, log_, FunctionLogOptions{}, options({"/etc/passwd"}));
  EXPECT_EQ(children_->start(), system_error(EACCES));
  children_.emplace(watch_, reaper_, log_, FunctionLogOptions{}, options({"/tmp"}));
  EXPECT_EQ(children_->start(), system_error(EACCES));
}

TEST_F(ChildrenTest, a_variable_of_over_128_kib_is_environment_too_large) {
  Children& children = make(options({PROBE_BINARY, "cat"}));
  auto script = [&]() -> Task<void> {
    ChildStart request;
    request.variables.push_back("LONG=" + std::string(140'000, 'x'));
    std::function<bool()> here = [] { return false; };
    const auto lease = co_await children.acquire(std::move(request), kNever, std::move(here));
    EXPECT_EQ(lease.error(), Errc::environment_too_large);
    EXPECT_EQ(children.stats().start_failures, 1U);
    EXPECT_EQ(children.stats().busy, 0U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, preforked_processes_are_handed_out_and_replaced) {
  ChildrenOptions with = options({PROBE_BINARY, "cat"});
  with.prefork = 2;
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    Event later;
    OverdueCall soon([&] { later.wake(context_.get_executor()); });
    const auto idle = [&](std::size_t count) -> Task<void> {
      while (children.stats().idle != count) {
        watch_.watch(soon, milliseconds(1));
        co_await later.wait();
      }
    };
    co_await idle(2);
    EXPECT_EQ(children.stats().started, 2U);
    auto first = co_await take(children);
    EXPECT_EQ(children.stats().idle, 1U);
    EXPECT_EQ(children.stats().started, 2U) << "one was started for the request";
    co_await idle(2);
    EXPECT_EQ(children.stats().started, 3U);
    EXPECT_EQ(co_await output(first->child()), "");
    co_await children.stop(kNever);
    EXPECT_EQ(children.stats().idle, 0U);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, the_next_preforked_process_starts_behind_the_answer) {
  ChildrenOptions with = options({PROBE_BINARY, "cat"});
  with.prefork = 1;
  with.prefork_pause = std::chrono::hours(1);
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    Event later;
    OverdueCall soon([&] { later.wake(context_.get_executor()); });
    while (children.stats().idle == 0) {
      watch_.watch(soon, milliseconds(1));
      co_await later.wait();
    }
    auto lease = co_await take(children);
    for (int turn = 0; turn < 20; ++turn) {
      watch_.watch(soon, milliseconds(1));
      co_await later.wait();
    }
    EXPECT_EQ(children.stats().started, 1U) << "the request has no answer yet";
    EXPECT_EQ(co_await output(lease->child()), "");
    EXPECT_EQ(children.stats().started, 1U) << "the answer has not gone out yet";
    while (children.stats().idle == 0) {
      watch_.watch(soon, milliseconds(1));
      co_await later.wait();
    }
    EXPECT_EQ(children.stats().started, 2U);
    co_await children.stop(kNever);
  };
  run_task(context_, script());
}

TEST_F(ChildrenTest, preforked_processes_that_die_at_once_are_not_started_in_a_loop) {
  ChildrenOptions with = options({PROBE_BINARY, "exit", "1"});
  with.prefork = 1;
  Children& children = make(std::move(with));
  auto script = [&]() -> Task<void> {
    Event later;
    OverdueCall soon([&] { later.wake(context_.get_executor()); });
    const auto since = Clock::now();
    watch_.watch(soon, milliseconds(250));
    co_await later.wait();
    const auto delays = (Clock::now() - since) / RestartPolicy::kFirstDelay;  // each is at least this long
    EXPECT_GE(children.stats().started, 1U);
    EXPECT_LE(children.stats().started, 2U + static_cast<std::uint64_t>(delays));
    co_await children.stop(kNever);
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
