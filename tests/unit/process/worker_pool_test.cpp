#include "tests/unit/process/worker_pool_fixture.hpp"

#include <filesystem>

namespace fwd {
namespace {

TEST_F(WorkerPoolTest, a_lease_given_back_keeps_its_worker) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    pid_t first = 0;
    for (int round = 0; round < 3; ++round) {
      auto lease = co_await take(pool);
      if (round == 0) first = lease->process().pid();
      EXPECT_EQ(lease->process().pid(), first);
      ask(*lease, "ping");
      EXPECT_EQ(co_await answer(*lease, 4), "ping");
      lease->give_back();
    }
    EXPECT_EQ(pool.counts().started, 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, a_lease_dropped_midway_retires_the_worker) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    pid_t first = 0;
    {
      auto lease = co_await take(pool);
      first = lease->process().pid();
    }
    auto lease = co_await take(pool);
    EXPECT_TRUE(lease) << lease.error().message();
    EXPECT_NE(lease->process().pid(), first);
    lease->give_back();
    EXPECT_EQ(pool.counts().broke_protocol, 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, requests_are_served_in_arrival_order) {
  WorkerPool& pool = make(1);
  std::string order;
  auto visitor = [](WorkerPool& from, std::string& into, char name) -> Task<void> {
    auto lease = co_await take(from);
    into += name;
    lease->give_back();
  };
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    for (const char name : {'a', 'b', 'c'}) start(context_.get_executor(), visitor(pool, order, name));
    co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    EXPECT_EQ(pool.queued(), 3U);
    lease->give_back();
    auto last = co_await take(pool);
    EXPECT_EQ(order, "abc");
    last->give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, a_full_queue_and_a_long_wait_are_told_apart) {
  WorkerPool& pool = make(1, 1, milliseconds(20));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    Error waited;
    auto wait = [&]() -> Task<void> { waited = (co_await take(pool)).error(); };
    start(context_.get_executor(), wait());
    co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    EXPECT_EQ((co_await take(pool)).error(), Errc::queue_full);
    while (!waited) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    EXPECT_EQ(waited, Errc::queue_timeout);
    EXPECT_EQ((co_await take(pool, Clock::now())).error(), Errc::deadline_passed);
    lease->give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, whoever_has_gone_is_passed_over) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    Error error;
    auto goner = [&]() -> Task<void> {
      std::function<bool()> gone = [] { return true; };
      error = (co_await pool.acquire(kNever, std::move(gone))).error();
    };
    start(context_.get_executor(), goner());
    const auto waited_enough = Clock::now() + WaiterQueue::kAskAfter * 2;
    while (Clock::now() < waited_enough) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    lease->give_back();
    auto next = co_await take(pool);
    EXPECT_TRUE(next);
    while (!error) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    EXPECT_EQ(error, Errc::client_gone);
    next->give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, an_overdue_worker_is_killed_and_replaced) {
  WorkerPool& pool = make(1, 8, seconds(10), milliseconds(20));
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    const pid_t first = lease->process().pid();
    EXPECT_EQ(co_await answer(*lease, 1), "");
    EXPECT_EQ(lease->failure(), Errc::exec_timeout);
    lease->discard(RetireCause::overdue);
    auto next = co_await take(pool);
    EXPECT_NE(next->process().pid(), first);
    next->give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, a_worker_that_dies_idle_is_replaced_unnoticed) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    const pid_t first = lease->process().pid();
    lease->give_back();
    ::kill(first, SIGKILL);
    while (pool.counts().started < 2) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    auto next = co_await take(pool);
    EXPECT_NE(next->process().pid(), first);
    EXPECT_FALSE(pool.down_since());
    next->give_back();
    EXPECT_EQ(pool.counts().died, 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, stray_output_of_an_idle_worker_replaces_it) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    auto lease = co_await take(pool);
    const pid_t first = lease->process().pid();
    auto& process = lease->process();
    lease->give_back();
    Error error;
    process.input().write_some(asio::buffer("stray", 5), error);
    while (pool.counts().stray_output == 0) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    auto next = co_await take(pool);
    EXPECT_NE(next->process().pid(), first);
    next->give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, a_worker_that_never_answers_backs_off_and_is_down_meanwhile) {
  WorkerPool& pool = make(1, 8, milliseconds(30), seconds(10), {PROBE_BINARY, "exit", "3"});
  auto script = [&]() -> Task<void> {
    while (!pool.down_since()) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    EXPECT_EQ((co_await take(pool)).error(), Errc::no_worker);
    while (pool.counts().started < 2) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolTest, a_program_that_does_not_exist_fails_the_start) {
  WorkerPoolOptions options;
  options.command.argv = {"/nonexistent/program"};
  WorkerPool pool(watch_, reaper_, log_, function_log_, std::move(options));
  EXPECT_EQ(pool.start(), system_error(ENOENT));
}

TEST_F(WorkerPoolTest, a_program_that_is_being_written_is_tried_again_for_a_moment) {
  const std::string program = (std::filesystem::temp_directory_path() / ("pool-busy-" + std::to_string(::getpid()))).string();
  std::filesystem::copy_file(PROBE_BINARY, program);
  WorkerPoolOptions options;
  options.command.argv = {program, "cat"};
  WorkerPool pool(watch_, reaper_, log_, function_log_, std::move(options));
  UniqueFd writer(::open(program.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(pool.start(), system_error(ETXTBSY));
  EXPECT_EQ(pool.counts().start_failures, 4U);
  writer = UniqueFd();
  EXPECT_FALSE(pool.start());
  std::filesystem::remove(program);
  run_task(context_, pool.stop(Clock::now()));
}

TEST_F(WorkerPoolTest, stopping_ends_waiters_and_workers) {
  WorkerPool& pool = make(2);
  auto script = [&]() -> Task<void> {
    co_await pool.stop(Clock::now() + seconds(10));
    EXPECT_EQ(pool.up(), 0U);
    EXPECT_EQ((co_await take(pool)).error(), Errc::draining);
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
