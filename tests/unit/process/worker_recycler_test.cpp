#include "watchdog/process/worker_recycler.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/run_task.hpp"
#include "watchdog/process/worker_pool.hpp"

namespace fwd {
namespace {

namespace fs = std::filesystem;

/// Pools whose workers wear out soon.
class WorkerRecyclerTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  WorkerPool& make(WorkerPoolOptions options, std::vector<std::string> argv = {PROBE_BINARY, "cat"}) {
    options.command.argv = std::move(argv);
    if (options.warm_up == WorkerPoolOptions().warm_up) options.warm_up = milliseconds(50);
    pool_.emplace(watch_, reaper_, log_, function_log_, std::move(options));
    EXPECT_FALSE(pool_->start());
    return *pool_;
  }

  Task<Result<WorkerPool::Lease>> take() {
    std::function<bool()> here = [] { return false; };
    co_return co_await pool_->acquire(kNever, std::move(here));
  }

  /// One request to one worker; which that was.
  Task<pid_t> use() {
    auto lease = co_await take();
    EXPECT_TRUE(lease) << lease.error().message();
    const pid_t pid = lease->process().pid();
    lease->give_back();
    co_return pid;
  }

  Task<void> turn() { co_await asio::post(context_, asio::use_awaitable_t<Executor>()); }
  Task<void> until_started(std::uint64_t count) {
    while (pool_->counts().started < count) co_await turn();
  }
  Task<void> end() { co_await pool_->stop(Clock::now()); }

  fs::path folder_ = fs::temp_directory_path() / ("fwatchdog-recycler-" + std::to_string(::getpid()));
  asio::io_context context_{1};
  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
  FunctionLog function_log_{log_, {}};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  std::optional<WorkerPool> pool_;
  Error ignored_;
};

TEST_F(WorkerRecyclerTest, after_its_share_of_requests_a_worker_is_replaced_without_a_gap) {
  WorkerPool& pool = make({.max_requests = 3, .warm_up = seconds(1)});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    EXPECT_EQ(co_await use(), first);
    EXPECT_EQ(pool.counts().started, 1U);
    EXPECT_EQ(co_await use(), first);
    EXPECT_EQ(pool.counts().started, 2U) << "the successor comes first";
    EXPECT_EQ(co_await use(), first) << "the old one goes on meanwhile";
    while (pool.counts().max_requests == 0) {
      EXPECT_EQ(pool.up(), 1U);
      co_await turn();
    }
    EXPECT_EQ(pool.up(), 1U);
    EXPECT_FALSE(pool.down_since());
    EXPECT_NE(co_await use(), first);
    while (::kill(first, 0) == 0) co_await turn();
    EXPECT_EQ(pool.counts().died, 0U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, a_busy_worker_is_not_ended_before_its_answer) {
  WorkerPool& pool = make({.max_requests = 1});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    auto lease = co_await take();
    EXPECT_EQ(lease->process().pid(), first);
    const auto warm = Clock::now() + milliseconds(100);  // twice what the successor has
    while (Clock::now() < warm) co_await turn();
    EXPECT_EQ(pool.counts().max_requests, 0U);
    EXPECT_FALSE(lease->failure());
    lease->give_back();
    EXPECT_EQ(pool.counts().max_requests, 1U);
    EXPECT_NE(co_await use(), first);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, several_worn_workers_are_replaced_one_at_a_time) {
  WorkerPool& pool = make({.workers = 3, .max_requests = 1});
  auto script = [&]() -> Task<void> {
    std::vector<WorkerPool::Lease> leases;
    for (int i = 0; i < 3; ++i) {
      auto lease = co_await take();
      leases.push_back(std::move(*lease));
    }
    for (auto& lease : leases) lease.give_back();
    while (pool.counts().max_requests < 3) {
      EXPECT_LE(pool.counts().started, 4 + pool.counts().max_requests);
      EXPECT_EQ(pool.up(), 3U);
      co_await turn();
    }
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, an_idle_worker_is_replaced_when_it_is_old) {
  WorkerPool& pool = make({.max_lifetime = milliseconds(50)});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    while (pool.counts().max_lifetime == 0) co_await turn();
    EXPECT_NE(co_await use(), first);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, a_worker_that_has_grown_is_replaced) {
  WorkerPool& pool = make({.max_rss_bytes = 4096});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    while (pool.counts().max_rss == 0) {  // the kernel may be late with the memory of a process that is so young
      (void)co_await use();
      co_await turn();
    }
    EXPECT_NE(co_await use(), first);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, one_that_has_not_grown_stays) {
  WorkerPool& pool = make({.max_rss_bytes = std::uint64_t(1) << 40});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    EXPECT_EQ(co_await use(), first);
    EXPECT_EQ(pool.counts().started, 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, without_a_successor_the_old_worker_stays_and_another_is_tried_later) {
  const fs::path program = folder_ / "function";
  const fs::path away = folder_ / "away";
  fs::copy_file(PROBE_BINARY, program);
  WorkerPool& pool = make({.max_requests = 1}, {program, "cat"});
  fs::rename(program, away);
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    while (pool.counts().start_failures < 2) co_await turn();
    EXPECT_EQ(co_await use(), first);
    EXPECT_EQ(pool.up(), 1U);
    fs::rename(away, program);
    while (pool.counts().max_requests == 0) co_await turn();
    EXPECT_NE(co_await use(), first);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, a_successor_that_ends_costs_nothing_and_another_is_tried) {
  const std::string flag = folder_ / "broken";
  WorkerPool& pool = make({.max_requests = 1, .warm_up = seconds(60)},
                          {"/bin/sh", "-c", "test -e " + flag + " && exit 3; exec cat"});
  auto script = [&]() -> Task<void> {
    auto lease = co_await take();
    const pid_t first = lease->process().pid();
    lease->process().input().write_some(asio::buffer("x", 1), ignored_);
    EXPECT_FALSE(co_await lease->process().answers().more()) << "it is past looking for the file";
    lease->process().answers().consume(1);
    std::ofstream(flag) << "x";
    lease->give_back();
    while (pool.counts().started < 4) {
      EXPECT_EQ(pool.up(), 1U);
      co_await turn();
    }
    EXPECT_EQ(pool.counts().died, 0U);
    EXPECT_EQ(co_await use(), first);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, a_worn_worker_that_is_lost_has_its_successor_at_once) {
  WorkerPool& pool = make({.max_requests = 2, .warm_up = seconds(60)});
  auto script = [&]() -> Task<void> {
    (void)co_await use();
    const pid_t first = co_await use();
    EXPECT_EQ(pool.counts().started, 2U);
    {
      auto lost = co_await take();  // given back by nobody
      EXPECT_EQ(lost->process().pid(), first);
    }
    EXPECT_EQ(pool.up(), 1U);
    EXPECT_EQ(pool.counts().broke_protocol, 1U);
    EXPECT_NE(co_await use(), first);
    EXPECT_EQ(pool.counts().started, 2U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerRecyclerTest, stopping_ends_the_successor_too) {
  WorkerPool& pool = make({.max_requests = 1, .warm_up = seconds(60)});
  auto script = [&]() -> Task<void> {
    (void)co_await use();
    EXPECT_EQ(pool.counts().started, 2U);
    co_await pool.stop(Clock::now() + seconds(10));
    EXPECT_EQ(pool.up(), 0U);
  };
  run_task(context_, script());
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(WorkerRecyclerTest, one_that_ignores_being_asked_is_killed) {
  WorkerPool& pool = make({.max_requests = 1}, {"/bin/sh", "-c", "trap '' TERM; cat; while :; do sleep 1; done"});
  auto script = [&]() -> Task<void> {
    const pid_t first = co_await use();
    while (pool.counts().max_requests == 0) co_await turn();
    EXPECT_EQ(::kill(first, 0), 0);
    while (::kill(first, 0) == 0) co_await turn();
    EXPECT_EQ(pool.up(), 1U);
    co_await end();
  };
  run_task(context_, script());
}

TEST(resident_bytes, tells_our_own_and_zero_for_nobody) {
  EXPECT_GT(resident_bytes(::getpid()), 100'000U);
  EXPECT_EQ(resident_bytes(-1), 0U);
}

}  // namespace
}  // namespace fwd
