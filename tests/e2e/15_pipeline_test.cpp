// Functions that take several requests ahead (afterburn_pipeline): order, loss, limits.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <signal.h>
#include <string>
#include <vector>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/token_load.hpp"

namespace fwd::test {
namespace {

WatchdogOptions pipelined(std::size_t depth, Variables variables = {}) {
  variables["afterburn_pipeline"] = std::to_string(depth);
  return misbehave(std::move(variables));
}

/// The watchdog has done what it can with whatever was sent to it before.
void round_trip(const WatchdogProcess& watchdog) {
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
}

/// One worker whose oldest request waits until it is opened, and the requests that were sent after it.
class Line {
 public:
  explicit Line(WatchdogOptions options) : watchdog(std::move(options)), gate_(watchdog) {}

  void hold() {
    held_.emplace(watchdog.port());
    ASSERT_TRUE(held_->send(render_request("POST", "/wait", gate_.path())));
    ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  }

  /// The first half of the answer is with the client.
  void hold_midway() {
    held_.emplace(watchdog.port());
    ASSERT_TRUE(held_->send(render_request("POST", "/half-then-wait", gate_.path())));
    ASSERT_EQ(held_->read_bytes(8), "HTTP/1.1");
  }

  /// A client whose request is as far as it gets.
  HttpClient& send(std::string_view target, std::string_view body, const Fields& fields = {}) {
    clients_.push_back(std::make_unique<HttpClient>(watchdog.port()));
    EXPECT_TRUE(clients_.back()->send(render_request("POST", target, body, fields)));
    round_trip(watchdog);
    return *clients_.back();
  }

  void open() {
    gate_.open();
    EXPECT_EQ(held_answer().body, "finished");
  }

  HttpAnswer held_answer() { return answer(*held_); }

  static HttpAnswer answer(HttpClient& client) {
    const auto found = client.find_answer();
    EXPECT_TRUE(found) << client.last_error();
    return found.value_or(HttpAnswer{});
  }

  WatchdogProcess watchdog;

 private:
  Gate gate_;
  std::optional<HttpClient> held_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
};

std::vector<pid_t> one_worker(const WatchdogProcess& watchdog) {
  return watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
}

TEST(pipeline, a_worker_is_given_as_many_requests_as_the_option_says) {
  Line line(pipelined(4));
  line.hold();
  std::vector<HttpClient*> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(&line.send("/echo", "number " + std::to_string(i)));
  line.open();
  for (int i = 0; i < 8; ++i) {
    const HttpAnswer answer = Line::answer(*clients[static_cast<std::size_t>(i)]);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "number " + std::to_string(i));
  }
  const int most = std::stoi(post(line.watchdog, "/most-at-once").body);
  EXPECT_GE(most, 3) << "behind the one that was held, which had been read before";
  EXPECT_LE(most, 4);
}

TEST(pipeline, without_the_option_it_is_given_one) {
  Line line(misbehave());
  line.hold();
  std::vector<HttpClient*> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(&line.send("/echo", std::to_string(i)));
  line.open();
  for (HttpClient* client : clients) EXPECT_EQ(Line::answer(*client).status, 200);
  EXPECT_EQ(post(line.watchdog, "/most-at-once").body, "1");
}

TEST(pipeline, an_idle_worker_comes_before_a_place_behind_others) {
  Line line(pipelined(4, {{"afterburn_workers", "2"}}));
  line.hold();
  for (int i = 0; i < 4; ++i) expect_echo(line.watchdog, "answered by the other one");
  line.open();
  EXPECT_EQ(post(line.watchdog, "/most-at-once").body, "1");
}

void expect_every_token(WatchdogOptions options, TokenLoad load) {
  WatchdogProcess watchdog(std::move(options));
  const auto before = watchdog.children();
  load.port = watchdog.port();
  load.target = "/echo";
  const TokenLoadResult result = run_token_load(load);
  EXPECT_EQ(result.right, load.requests) << result.summary();
  EXPECT_EQ(result.failed(), 0U) << result.summary();
  expect_kept(watchdog, before);
  EXPECT_GT(std::stoi(post(watchdog, "/most-at-once").body), 1) << "nothing was sent ahead";
}

TEST(pipeline, every_answer_is_its_askers_own) {
  expect_every_token(pipelined(8), {.requests = 5'000, .concurrency = 20, .contents = {Content::ascii}});
}

TEST(pipeline, every_answer_is_its_askers_own_with_several_workers) {
  WatchdogProcess watchdog(pipelined(2, {{"afterburn_workers", "3"}}));
  const TokenLoadResult result = run_token_load({.port = watchdog.port(), .requests = 2'000, .concurrency = 20});
  EXPECT_EQ(result.right, 2'000U) << result.summary();
}

TEST(pipeline, a_large_body_waits_until_it_is_alone) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  line.hold();
  const std::string large(300'000, 'L');
  HttpClient& big = line.send("/echo", large);
  ASSERT_EQ(worker.size(), 1U);
  ASSERT_EQ(kill(worker.front(), SIGKILL), 0);
  expect_own_error(line.held_answer(), 502);
  EXPECT_EQ(Line::answer(big).body, large) << "not a byte of it went to the one that was killed";
}

TEST(pipeline, a_worker_that_is_killed_costs_what_was_written_to_it) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  line.hold();
  std::vector<HttpClient*> written, waiting;
  for (int i = 0; i < 3; ++i) written.push_back(&line.send("/echo", std::to_string(i)));
  for (int i = 3; i < 6; ++i) waiting.push_back(&line.send("/echo", std::to_string(i)));
  ASSERT_EQ(worker.size(), 1U);
  ASSERT_EQ(kill(worker.front(), SIGKILL), 0);
  expect_own_error(line.held_answer(), 502);
  for (HttpClient* client : written) expect_own_error(Line::answer(*client), 502);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const HttpAnswer answer = Line::answer(*waiting[i]);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body, std::to_string(i + 3));
  }
  expect_replaced(line.watchdog, worker);
  EXPECT_EQ(line.watchdog.count_lines("Replacing function process"), 1U) << line.watchdog.log();
}

TEST(pipeline, answers_that_were_written_before_the_end_still_count) {
  Line line(pipelined(4));
  line.hold();
  HttpClient& first = line.send("/echo", "first");
  HttpClient& second = line.send("/exit-before-answer", "second");
  HttpClient& third = line.send("/echo", "third");
  line.open();
  EXPECT_EQ(Line::answer(first).body, "first");
  expect_own_error(Line::answer(second), 502);
  expect_own_error(Line::answer(third), 502);
  expect_echo(line.watchdog);
}

TEST(pipeline, a_broken_answer_ends_the_worker_and_the_requests_behind_it) {
  Line line(pipelined(4));
  line.hold();
  HttpClient& broken = line.send("/no-length", "x");
  HttpClient& behind = line.send("/echo", "behind");
  line.open();
  expect_own_error(Line::answer(broken), 502);
  expect_own_error(Line::answer(behind), 502);
  expect_echo(line.watchdog);
}

TEST(pipeline, the_oldest_has_the_timeout_and_its_place_takes_one_at_a_time_afterwards) {
  Line line(pipelined(4, {{"exec_timeout", "500ms"}}));
  const auto worker = one_worker(line.watchdog);
  line.hold();
  HttpClient& second = line.send("/echo", "second");
  HttpClient& third = line.send("/echo", "third");
  expect_own_error(line.held_answer(), 504);
  expect_own_error(Line::answer(second), 502);
  expect_own_error(Line::answer(third), 502);
  expect_replaced(line.watchdog, worker);
  EXPECT_TRUE(line.watchdog.wait_for_line("one request at a time")) << line.watchdog.log();
  const TokenLoadResult result =
      run_token_load({.port = line.watchdog.port(), .requests = 200, .contents = {Content::ascii}});
  EXPECT_EQ(result.right, 200U) << result.summary();
  EXPECT_EQ(post(line.watchdog, "/most-at-once").body, "1");
}

TEST(pipeline, the_timeout_of_each_begins_when_it_is_the_oldest) {
  WatchdogProcess watchdog(pipelined(8, {{"exec_timeout", "1500ms"}}));
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(watchdog.port());
    ASSERT_TRUE(clients.back().send(render_request("POST", "/sleep?ms=500", std::to_string(i))));
    round_trip(watchdog);
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto answer = clients[i].find_answer();
    ASSERT_TRUE(answer) << clients[i].last_error();
    EXPECT_EQ(answer->status, 200) << i << answer->body;
  }
}

TEST(pipeline, a_client_that_leaves_does_not_disturb_the_order) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  line.hold();
  HttpClient& before = line.send("/log", "before");
  HttpClient& gone = line.send("/log", "gone");
  HttpClient& behind = line.send("/log", "behind");
  gone.reset();
  line.open();
  EXPECT_EQ(Line::answer(before).body, "before");
  EXPECT_EQ(Line::answer(behind).body, "behind");
  EXPECT_TRUE(line.watchdog.wait_for_line("log gone")) << "it had been written";
  expect_kept(line.watchdog, worker);
}

TEST(pipeline, a_client_whose_time_is_up_behind_others_has_its_answer_dropped) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  line.hold();
  HttpClient& impatient = line.send("/echo", "impatient", {{"X-Timeout", "100ms"}});
  HttpClient& patient = line.send("/echo", "patient");
  expect_own_error(Line::answer(impatient), 504);
  line.open();
  EXPECT_EQ(Line::answer(patient).body, "patient");
  expect_echo(line.watchdog);
  expect_kept(line.watchdog, worker);
}

TEST(pipeline, the_oldest_may_be_too_late_while_others_wait_behind_it) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  HttpClient late(line.watchdog.port());
  ASSERT_TRUE(late.send(render_request("POST", "/sleep?ms=1000", "late", {{"X-Timeout", "100ms"}})));
  HttpClient& behind = line.send("/echo", "behind");
  expect_own_error(Line::answer(late), 504);
  EXPECT_EQ(Line::answer(behind).body, "behind");
  expect_kept(line.watchdog, worker);
}

TEST(pipeline, stray_text_before_an_answer_is_logged) {
  Line line(pipelined(4));
  line.hold();
  HttpClient& stray = line.send("/print-before", "mine");
  HttpClient& behind = line.send("/echo", "behind");
  line.open();
  EXPECT_EQ(Line::answer(stray).body, "mine");
  EXPECT_EQ(Line::answer(behind).body, "behind");
  EXPECT_TRUE(line.watchdog.wait_for_line("first stray line"));
}

TEST(pipeline, a_long_answer_keeps_later_requests_off_its_worker) {
  Line line(pipelined(4));
  const auto worker = one_worker(line.watchdog);
  line.hold_midway();
  HttpClient& waiting = line.send("/echo", "waiting");
  ASSERT_EQ(worker.size(), 1U);
  ASSERT_EQ(kill(worker.front(), SIGKILL), 0);
  EXPECT_EQ(Line::answer(waiting).body, "waiting") << "it was not written to the one that was killed";
}

TEST(pipeline, a_watchdog_told_to_end_lets_all_of_them_be_answered) {
  Line line(pipelined(4));
  line.hold();
  HttpClient& second = line.send("/echo", "second");
  HttpClient& third = line.send("/echo", "third");
  line.watchdog.signal(SIGTERM);
  EXPECT_TRUE(line.watchdog.wait_for_line("SIGTERM"));
  line.open();
  EXPECT_EQ(Line::answer(second).body, "second");
  EXPECT_EQ(Line::answer(third).body, "third");
  EXPECT_EQ(line.watchdog.wait_exit(milliseconds(20'000)), 0) << line.watchdog.log();
}

TEST(pipeline, workers_are_recycled_under_load_without_a_loss) {
  WatchdogProcess watchdog(pipelined(4, {{"max_requests", "100"}}));
  std::size_t right = 0, rounds = 0;
  while (watchdog.count_lines("Recycling function process") < 2 && rounds++ < 50) {
    const TokenLoadResult result = run_token_load(
        {.port = watchdog.port(), .requests = 200, .seed = rounds, .contents = {Content::ascii}});
    right += result.right;
    ASSERT_EQ(result.right, 200U) << result.summary();
  }
  EXPECT_EQ(watchdog.count_lines("Replacing function process"), 0U) << watchdog.log();
  EXPECT_GE(watchdog.count_lines("Recycling function process"), 2U) << right << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
