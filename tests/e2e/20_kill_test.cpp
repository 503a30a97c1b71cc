// A worker is killed every second under load: each kill costs at most the request it had, and nobody else notices.
// FWD_FULL=1 goes on for 30 seconds instead of 5.

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <signal.h>
#include <string>
#include <thread>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kClients = 20;
constexpr std::size_t kWorkers = 4;

std::size_t kill_count() {
  const char* full = std::getenv("FWD_FULL");
  return full != nullptr && *full != '\0' ? 30 : 5;
}

std::size_t count_descriptors(pid_t pid) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// The same once connections that were closed have gone.
std::size_t settled_descriptors(pid_t pid) {
  std::size_t count = 0;
  int same = 0;
  wait_until([&] {
    const std::size_t now = count_descriptors(pid);
    same = now == count ? same + 1 : 0;
    count = now;
    return same == 50;
  });
  return count;
}

/// Dead children that nobody has taken in.
std::size_t count_zombies(pid_t parent) {
  std::size_t zombies = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (!std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front()))) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t name_end = text.rfind(") ");
    if (name_end == std::string::npos) continue;
    if (text.compare(name_end + 2, 2, "Z ") == 0 && std::stoi(text.substr(name_end + 4)) == parent) ++zombies;
  }
  return zombies;
}

/// What all clients saw together.
struct Tally {
  std::mutex mutex;
  std::size_t right = 0;
  std::size_t failed = 0;  // 502, once
  std::vector<std::string> wrong;
  std::chrono::nanoseconds slowest_failure{0};

  void note(std::string text) {
    const std::lock_guard lock(mutex);
    wrong.push_back(std::move(text));
  }
};

/// One client on one connection, which asks until it is stopped; every body is its own.
class Client {
 public:
  Client(std::uint16_t port, std::size_t number, Tally& tally)
      : connection_(port), random_(number), number_(number), tally_(tally) {}

  void run(const std::atomic<bool>& stop) {
    for (std::size_t i = 0; !stop && ask("client " + std::to_string(number_) + " request " + std::to_string(i));) ++i;
    connection_.shut_down_sending();
    const auto rest = connection_.read_to_end();
    if (!rest || !rest->empty()) tally_.note("more than one answer to a request: " + rest.value_or("a reset"));
  }

 private:
  bool ask(const std::string& token) {
    const std::string body = token + std::string(random_() % 8 == 0 ? random_() % 100'000 : random_() % 500, '.');
    const auto begun = Clock::now();
    const auto answer = connection_.ask("POST", "/sleep?ms=3", body);
    if (!answer) {
      tally_.note(token + " got no answer: " + connection_.last_error());
      return false;
    }
    const std::lock_guard lock(tally_.mutex);
    if (answer->status == 502) {
      ++tally_.failed;
      tally_.slowest_failure = std::max(tally_.slowest_failure, std::chrono::nanoseconds(Clock::now() - begun));
    } else if (answer->status == 200 && answer->body == body) {
      ++tally_.right;
    } else {
      tally_.wrong.push_back(token + " got " + std::to_string(answer->status) + " " + answer->body.substr(0, 100));
    }
    return true;
  }

  HttpClient connection_;
  std::minstd_rand random_;
  std::size_t number_;
  Tally& tally_;
};

/// Kills one worker each second; how many it killed.
std::size_t kill_workers(const WatchdogProcess& watchdog) {
  std::size_t killed = 0;
  const std::size_t wanted = kill_count();
  std::minstd_rand random(20);
  for (std::size_t round = 0; round < wanted; ++round) {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // the load's length, not a wait for anything
    const auto workers = watchdog.wait_children([](const auto& pids) { return pids.size() == kWorkers; });
    EXPECT_EQ(workers.size(), kWorkers) << watchdog.log();
    if (workers.empty()) break;
    if (kill(workers[random() % workers.size()], SIGKILL) == 0) ++killed;
    EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200) << "the others are up";
  }
  return killed;
}

TEST(kill, each_costs_at_most_one_request_and_nobody_else_notices) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", std::to_string(kWorkers)}}));
  expect_echo(watchdog);
  const std::size_t descriptors = settled_descriptors(watchdog.pid());
  Tally tally;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kClients; ++i)
    threads.emplace_back([&, i] { Client(watchdog.port(), i, tally).run(stop); });
  const std::size_t killed = kill_workers(watchdog);
  stop = true;
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(killed, kill_count());
  EXPECT_TRUE(tally.wrong.empty()) << tally.wrong.size() << ", the first: " << tally.wrong.front();
  EXPECT_LE(tally.failed, killed) << "a worker has one request at a time";
  EXPECT_LT(tally.slowest_failure, std::chrono::seconds(1));
  EXPECT_GT(tally.right, kClients * killed) << "the load went on";
  std::printf("%zu right, %zu answered 502 after %zu kills, the slowest within %.1f ms\n", tally.right, tally.failed,
              killed, std::chrono::duration<double, std::milli>(tally.slowest_failure).count());

  EXPECT_EQ(watchdog.wait_children([](const auto& pids) { return pids.size() == kWorkers; }).size(), kWorkers);
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200);
  EXPECT_TRUE(wait_until([&] { return count_zombies(watchdog.pid()) == 0; }));
  EXPECT_TRUE(wait_until([&] { return count_descriptors(watchdog.pid()) == descriptors; }))
      << count_descriptors(watchdog.pid()) << " instead of " << descriptors;
  EXPECT_EQ(watchdog.wait_exit(milliseconds(0)), std::nullopt) << watchdog.log();
  expect_echo(watchdog);
}

/// With one worker there are moments without any: waiting requests wait on, and readiness comes back.
TEST(kill, of_the_only_worker_cost_no_request_that_waits) {
  WatchdogProcess watchdog(misbehave());
  for (int round = 0; round < 10; ++round) {
    const auto worker = watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
    ASSERT_EQ(worker.size(), 1U);
    HttpClient held(watchdog.port());
    ASSERT_TRUE(held.send(render_request("POST", "/never", "x")));
    ASSERT_TRUE(
        wait_until([&] { return watchdog.count_lines("begun /never") == static_cast<std::size_t>(round) + 1; }));
    HttpClient waiting(watchdog.port());
    ASSERT_TRUE(waiting.send(render_request("POST", "/echo", "waits")));
    ASSERT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
    kill(worker.front(), SIGKILL);
    const auto lost = held.find_answer();
    ASSERT_TRUE(lost) << held.last_error();
    expect_own_error(*lost, 502);
    const auto served = waiting.find_answer();
    ASSERT_TRUE(served) << waiting.last_error();
    EXPECT_EQ(served->status, 200) << served->body;
    EXPECT_EQ(served->body, "waits");
    EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200);
  }
}

}  // namespace
}  // namespace fwd::test
