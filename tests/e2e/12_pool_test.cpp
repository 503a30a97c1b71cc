// The pool and its limits as clients and children see them.

#include <algorithm>
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <set>
#include <signal.h>
#include <string>
#include <thread>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// A watchdog of one worker that is busy until `open` is called.
class Held {
 public:
  explicit Held(WatchdogOptions options) : watchdog(std::move(options)), gate_(watchdog) {}

  void hold() {
    client_.emplace(watchdog.port());
    ASSERT_TRUE(client_->send(render_request("POST", "/wait", gate_.path())));
    ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  }

  void open() {
    gate_.open();
    const auto answer = client_->find_answer();
    ASSERT_TRUE(answer) << client_->last_error();
    EXPECT_EQ(answer->body, "finished");
  }

  WatchdogProcess watchdog;

 private:
  Gate gate_;
  std::optional<HttpClient> client_;
};

/// The watchdog has read whatever was sent to it before.
void round_trip(const WatchdogProcess& watchdog) {
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
}

void expect_turned_away(const HttpAnswer& answer) {
  EXPECT_EQ(answer.status, 429) << answer.body;
  EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "faas-middleware") << answer.raw_head;
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8") << answer.raw_head;
}

TEST(pool, over_max_inflight_the_answer_is_that_of_the_contract) {
  Held held(misbehave({{"max_inflight", "1"}}));
  held.hold();
  const HttpAnswer refused = post(held.watchdog, "/log", "refused");
  expect_turned_away(refused);
  EXPECT_EQ(refused.body, "Concurrent request limit exceeded. Max concurrent requests: 1\n");
  EXPECT_EQ(refused.header("Retry-After"), "1") << refused.raw_head;
  held.open();
  expect_echo(held.watchdog);
  EXPECT_EQ(held.watchdog.count_lines("log refused"), 0U);
}

TEST(pool, requests_that_wait_count_for_max_inflight) {
  Held held(misbehave({{"max_inflight", "2"}}));
  held.hold();
  HttpClient waiting(held.watchdog.port());
  ASSERT_TRUE(waiting.send(render_request("POST", "/echo", "waits")));
  round_trip(held.watchdog);
  EXPECT_EQ(post(held.watchdog, "/echo").body, "Concurrent request limit exceeded. Max concurrent requests: 2\n");
  held.open();
  EXPECT_TRUE(waiting.find_answer());
}

TEST(pool, with_a_full_queue_retry_after_grows_with_queue_and_service_time) {
  Held held(misbehave({{"max_queue", "40"}}));
  (void)post(held.watchdog, "/sleep?ms=400");  // the recent service time is an eighth of this, 50 ms or more
  held.hold();
  std::vector<HttpClient> queue;
  for (int i = 0; i < 40; ++i) {
    queue.emplace_back(held.watchdog.port());
    ASSERT_TRUE(queue.back().send(render_request("POST", "/echo", std::to_string(i))));
  }
  round_trip(held.watchdog);
  const HttpAnswer refused = post(held.watchdog, "/echo");
  expect_turned_away(refused);
  EXPECT_EQ(refused.body, "the queue is full\n");
  const auto seconds = refused.header("Retry-After");
  ASSERT_TRUE(seconds) << refused.raw_head;
  EXPECT_GE(std::stoi(*seconds), 3);  // 41 times 50 ms
  EXPECT_LE(std::stoi(*seconds), 60);
  held.open();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto answer = queue[i].find_answer();
    ASSERT_TRUE(answer) << i << queue[i].last_error();
    EXPECT_EQ(answer->body, std::to_string(i));
  }
}

TEST(pool, a_queue_of_none_turns_away_at_once) {
  Held held(misbehave({{"max_queue", "0"}}));
  held.hold();
  expect_turned_away(post(held.watchdog, "/echo"));
  held.open();
  expect_echo(held.watchdog);
}

TEST(pool, a_connection_that_was_turned_away_can_try_again) {
  Held held(misbehave({{"max_queue", "0"}}));
  held.hold();
  HttpClient client(held.watchdog.port());
  const auto refused = client.ask("POST", "/echo", "first try");
  ASSERT_TRUE(refused) << client.last_error();
  EXPECT_EQ(refused->status, 429);
  held.open();
  const auto served = client.ask("POST", "/echo", "second try");
  ASSERT_TRUE(served) << client.last_error();
  EXPECT_EQ(served->body, "second try");
}

TEST(pool, waiting_requests_are_served_in_arrival_order) {
  Held held(misbehave({}));
  held.hold();
  std::vector<HttpClient> queue;
  for (int i = 0; i < 20; ++i) {
    queue.emplace_back(held.watchdog.port());
    ASSERT_TRUE(queue.back().send(render_request("POST", "/log", "number " + std::to_string(i))));
    round_trip(held.watchdog);
  }
  held.open();
  for (HttpClient& client : queue) EXPECT_TRUE(client.find_answer()) << client.last_error();
  ASSERT_TRUE(held.watchdog.wait_for_line("log number 19"));
  int next = 0;
  for (const std::string& line : held.watchdog.lines()) {
    if (line.find("log number ") == std::string::npos) continue;
    EXPECT_TRUE(line.ends_with("log number " + std::to_string(next++))) << line;
  }
  EXPECT_EQ(next, 20);
}

TEST(pool, of_idle_workers_the_last_that_worked_is_taken) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", "4"}}));
  std::set<std::string> pids;
  for (int round = 0; round < 30; ++round) pids.insert(post(watchdog, "/pid").body);
  EXPECT_EQ(pids.size(), 1U) << "its caches are warm";
}

TEST(pool, auto_starts_a_worker_for_each_core_and_an_old_image_one) {
  WatchdogProcess automatic(misbehave({{"afterburn_workers", "auto"}}));
  EXPECT_EQ(automatic.children().size(), std::max(1U, std::thread::hardware_concurrency()));
  WatchdogProcess old({.function = {compat_program("misbehave")}, .environment = {{"afterburn", "1"}}});
  EXPECT_EQ(old.children().size(), 1U);
}

/// Numbers of the descriptors of a child that runs `program`; nothing if it does not (yet) or has gone meanwhile.
std::set<int> descriptors_of(pid_t pid, const std::string& program) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::error_code error;
  if (std::filesystem::read_symlink(folder + "/exe", error) != std::filesystem::canonical(program)) return {};
  std::set<int> numbers;
  for (std::filesystem::directory_iterator entry(folder + "/fd", error), end; !error && entry != end;
       entry.increment(error))
    numbers.insert(std::stoi(entry->path().filename()));
  return error ? std::set<int>{} : numbers;
}

/// Looks at every child again and again while fifty clients ask and workers are killed.
void expect_descriptors(WatchdogOptions options, const std::string& program, const std::set<int>& expected) {
  options.environment["afterburn_workers"] = "4";
  WatchdogProcess watchdog(std::move(options));
  std::atomic<bool> stop{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 50; ++i)
    clients.emplace_back([&] {
      while (!stop) (void)post(watchdog, "/echo", std::string(2000, 'x'));
    });
  std::size_t looked = 0;
  std::set<pid_t> seen;
  for (int round = 0; round < 15; ++round) {
    const auto four = watchdog.wait_children([](const auto& pids) { return pids.size() == 4; });
    EXPECT_EQ(four.size(), 4U) << watchdog.log();
    for (const pid_t pid : four) {
      std::set<int> found;
      const auto look = [&] {  // again, where the loader of the program has a library open
        found = descriptors_of(pid, program);
        return found.empty() || found == expected;
      };
      (void)wait_until(look, milliseconds(1000));
      if (found.empty()) continue;
      ++looked;
      seen.insert(pid);
      EXPECT_EQ(found, expected) << "of child " << pid;
    }
    if (!four.empty()) kill(four[static_cast<std::size_t>(round) % four.size()], SIGKILL);
  }
  stop = true;
  for (std::thread& client : clients) client.join();
  EXPECT_GT(looked, 15U);
  EXPECT_GT(seen.size(), 8U) << "replacements were not seen";
}

TEST(pool, children_have_three_descriptors_whatever_goes_on_around) {
  const std::string program = compat_program("misbehave");
  expect_descriptors(misbehave(), program, {0, 1, 2});
}

TEST(pool, children_have_a_fourth_descriptor_where_answers_have_their_own) {
  const std::string program = compat_program("misbehave");
  WatchdogOptions options{.function = {"sh", "-c", "exec \"$0\" >&3", program},
                          .environment = {{"mode", "afterburn"}, {"response_fd", "3"}}};
  expect_descriptors(std::move(options), program, {0, 1, 2, 3});
}

}  // namespace
}  // namespace fwd::test
