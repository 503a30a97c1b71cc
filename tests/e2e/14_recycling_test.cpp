// Workers that are replaced because they are worn, and not because something went wrong.

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// Clients that ask without a pause, each on one connection, until they are stopped; every body is its own.
class Load {
 public:
  Load(const WatchdogProcess& watchdog, std::size_t clients) {
    for (std::size_t i = 0; i < clients; ++i) threads_.emplace_back([this, i, &watchdog] { ask_on(watchdog.port(), i); });
  }
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  std::size_t right() const { return right_; }
  std::vector<std::string> wrong() {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

 private:
  void ask_on(std::uint16_t port, std::size_t client) {
    HttpClient connection(port);
    for (std::size_t i = 0; !stop_; ++i) {
      const std::string body = "client " + std::to_string(client) + " request " + std::to_string(i);
      const auto answer = connection.ask("POST", "/echo", body);
      if (answer && answer->status == 200 && answer->body == body) {
        ++right_;
        continue;
      }
      const std::lock_guard lock(mutex_);
      wrong_.push_back(body + ": " + (answer ? answer->body : connection.last_error()));
      return;
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> right_{0};
  std::mutex mutex_;
  std::vector<std::string> wrong_;
  std::vector<std::thread> threads_;
};

TEST(recycling, under_load_costs_no_request) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", "2"}, {"max_requests", "50"}}));
  Load load(watchdog, 8);
  EXPECT_TRUE(wait_until([&] { return watchdog.count_lines("Recycling function process") >= 4; }, milliseconds(60'000)));
  load.stop();
  EXPECT_EQ(load.wrong(), std::vector<std::string>());
  EXPECT_GE(load.right(), 100U);
  EXPECT_EQ(watchdog.count_lines("Replacing function process"), 0U) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("has terminated"), 0U) << "a recycled process is no accident\n" << watchdog.log();
  expect_echo(watchdog);
}

TEST(recycling, says_how_many_requests_were_answered) {
  WatchdogProcess watchdog(misbehave({{"max_requests", "9"}}));  // under 10 nothing is drawn
  const auto before = watchdog.children();
  for (int i = 0; i < 8; ++i) expect_echo(watchdog);
  expect_kept(watchdog, before);
  EXPECT_EQ(watchdog.count_lines("Recycling"), 0U);
  expect_echo(watchdog);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_TRUE(watchdog.wait_for_line("Recycling function process " + std::to_string(before.front()) +
                                     ": it has answered 9 requests"))
      << watchdog.log();
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(recycling, a_limit_is_drawn_from_its_last_tenth) {
  WatchdogProcess watchdog(misbehave({{"max_requests", "20"}}));
  const auto before = watchdog.children();
  for (int i = 0; i < 17; ++i) expect_echo(watchdog);
  expect_kept(watchdog, before);
  for (int i = 17; i < 20; ++i) expect_echo(watchdog);
  expect_replaced(watchdog, before);
}

TEST(recycling, of_a_worker_that_has_grown) {
  WatchdogProcess watchdog(misbehave({{"max_rss", "32Mi"}}));
  const auto before = watchdog.children();
  expect_echo(watchdog);
  EXPECT_EQ(post(watchdog, "/grow?mb=64").body, std::to_string(64 << 20));
  EXPECT_TRUE(wait_until([&] {  // its memory is looked at once a second
    expect_echo(watchdog);
    return watchdog.count_lines("it has grown to ") > 0;
  })) << watchdog.log();
  expect_replaced(watchdog, before);
  EXPECT_EQ(post(watchdog, "/grow?mb=1").body, std::to_string(1 << 20)) << "a fresh process";
}

TEST(recycling, of_a_worker_that_is_old_and_idle) {
  WatchdogProcess watchdog(misbehave({{"max_lifetime", "300ms"}}));
  const auto before = watchdog.wait_children([](const auto& pids) { return !pids.empty(); });
  EXPECT_TRUE(watchdog.wait_for_line("Recycling function process " + std::to_string(before.front()) +
                                     ": it has lived for "))
      << watchdog.log();
  expect_echo(watchdog);
}

TEST(recycling, waits_for_the_answer_of_a_busy_worker) {
  WatchdogProcess watchdog(misbehave({{"max_lifetime", "50ms"}}));
  Gate gate(watchdog);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  const auto busy = watchdog.wait_children([](const auto& pids) { return pids.size() == 2; });
  ASSERT_EQ(busy.size(), 2U) << "the successor is there\n" << watchdog.log();
  gate.open();
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->body, "finished");
  EXPECT_TRUE(watchdog.wait_for_line("Recycling function process")) << watchdog.log();
}

TEST(recycling, a_watchdog_told_to_end_ends_old_and_new) {
  WatchdogProcess watchdog(misbehave({{"max_requests", "1"}}));
  expect_echo(watchdog);
  const auto both = watchdog.wait_children([](const auto& pids) { return pids.size() == 2; });
  EXPECT_EQ(both.size(), 2U);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(20'000)), 0) << watchdog.log();
  for (const pid_t pid : both) EXPECT_FALSE(is_running(pid));
}

}  // namespace
}  // namespace fwd::test
