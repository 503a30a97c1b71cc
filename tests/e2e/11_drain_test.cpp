// The end of a watchdog: nobody loses a request, and nothing is left.

#include <future>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

constexpr milliseconds kEnding{15'000};  // far less than the intervals that must not be waited for

bool can_connect(const WatchdogProcess& watchdog) try {
  HttpClient client(watchdog.port());
  return true;
} catch (const std::runtime_error&) {
  return false;
}

int health(const WatchdogProcess& watchdog) {
  const auto answer = try_request(watchdog.port(), "GET", "/_/health");
  return answer ? answer->status : 0;
}

/// Says what it was told, and goes on.
const std::vector<std::string> kStubborn = {
    "python3", "-c",
    "import os, signal, time\n"
    "signal.signal(signal.SIGTERM, lambda *_: os.write(2, b'told to end\\n'))\n"
    "os.write(2, b'listening to signals\\n')\n"
    "while True: time.sleep(1)\n"};

TEST(drain, during_the_interval_health_is_503_and_requests_are_still_served) {
  WatchdogProcess watchdog(misbehave({{"healthcheck_interval", "3s"}}));
  HttpClient idle(watchdog.port());
  ASSERT_TRUE(idle.ask("POST", "/", "before")) << idle.last_error();
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return health(watchdog) == 503; })) << watchdog.log();
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 503);
  EXPECT_FALSE(std::filesystem::exists(watchdog.folder() / ".lock"));
  const HttpAnswer fresh = post(watchdog, "/echo", "a new connection");
  EXPECT_EQ(fresh.status, 200);
  EXPECT_EQ(fresh.body, "a new connection");
  EXPECT_EQ(fresh.header("Connection"), "close");
  const auto kept = idle.ask("POST", "/echo", "an old connection");
  ASSERT_TRUE(kept) << idle.last_error();
  EXPECT_EQ(kept->body, "an old connection");
  EXPECT_EQ(kept->header("Connection"), "close");
  EXPECT_TRUE(idle.closed_by_peer());
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
  EXPECT_FALSE(can_connect(watchdog));
  EXPECT_TRUE(watchdog.wait_for_line("Exiting. Active connections: 0")) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("SIGTERM: no new connections in 3s"), 1U) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("No new connections allowed, draining: 0 requests"), 1U) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("Exiting. Active connections: 0"), 1U) << watchdog.log();
}

TEST(drain, after_the_interval_connections_are_refused_and_what_is_in_flight_is_finished) {
  WatchdogProcess watchdog(misbehave({{"healthcheck_interval", "200ms"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("No new connections allowed, draining: 1 requests")) << watchdog.log();
  EXPECT_TRUE(wait_until([&] { return !can_connect(watchdog); }));
  gate.open();
  const HttpAnswer answer = held.get();
  EXPECT_EQ(answer.body, "finished");
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

/// In Kubernetes both are write_timeout when left alone: the one must not use up the other.
TEST(drain, requests_have_shutdown_timeout_once_no_more_are_accepted) {
  WatchdogProcess watchdog(misbehave({{"healthcheck_interval", "1s"}, {"shutdown_timeout", "1s"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("No new connections allowed, draining: 1 requests")) << watchdog.log();
  gate.open();
  EXPECT_EQ(held.get().body, "finished") << watchdog.log();
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(drain, requests_that_wait_for_a_worker_are_finished_too) {
  WatchdogProcess watchdog(misbehave());
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  HttpClient queued(watchdog.port());
  ASSERT_TRUE(queued.send(render_request("POST", "/echo", "queued")));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(health(watchdog), 200);  // by now it has been read
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("draining: 2 requests")) << watchdog.log();
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  const auto answer = queued.find_answer();
  ASSERT_TRUE(answer) << queued.last_error();
  EXPECT_EQ(answer->body, "queued");
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(drain, sigint_knows_no_interval_and_finishes_what_is_in_flight) {
  WatchdogProcess watchdog(misbehave({{"healthcheck_interval", "60s"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  watchdog.signal(SIGINT);
  ASSERT_TRUE(watchdog.wait_for_line("SIGINT: no new connections")) << watchdog.log();
  EXPECT_TRUE(wait_until([&] { return !can_connect(watchdog); }));
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(drain, a_second_signal_ends_the_interval) {
  WatchdogProcess watchdog(misbehave({{"healthcheck_interval", "60s"}, {"shutdown_timeout", "120s"}}));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("SIGTERM: no new connections in 1m0s")) << watchdog.log();
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(drain, a_second_signal_cuts_what_is_in_flight) {
  WatchdogProcess watchdog(misbehave({{"shutdown_timeout", "60s"}}));
  const auto workers = watchdog.children();
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/never", "x")));
  ASSERT_TRUE(watchdog.wait_for_line("begun /never"));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("draining: 1 requests")) << watchdog.log();
  watchdog.signal(SIGINT);
  const auto answer = held.find_answer();
  if (answer) expect_own_error(*answer, 503);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 1) << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
}

TEST(drain, a_second_signal_ends_the_wait_for_a_function_that_does_not_end) {
  WatchdogOptions options{
      .function = kStubborn,
      .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}, {"shutdown_timeout", "60s"}}};
  WatchdogProcess watchdog(options);
  const auto workers = watchdog.children();
  ASSERT_TRUE(watchdog.wait_for_line("stderr: listening to signals"));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("stderr: told to end")) << watchdog.log();
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
}

/// Whoever asks again and again must not hit the moment at the end in which nobody listens any more.
TEST(drain, no_number_of_signals_kills_it) {
  for (int round = 0; round < 5; ++round) {
    WatchdogProcess watchdog(misbehave());
    EXPECT_TRUE(wait_until([&] {
      watchdog.signal(round % 2 == 0 ? SIGTERM : SIGINT);
      return watchdog.wait_exit(milliseconds(0)).has_value();
    }));
    EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
    EXPECT_TRUE(watchdog.wait_for_line("Exiting. Active connections: 0")) << watchdog.log();
  }
}

TEST(drain, shutdown_timeout_bounds_all_of_it) {
  WatchdogProcess watchdog(misbehave({{"shutdown_timeout", "500ms"}}));
  const auto workers = watchdog.children();
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/never", "x")));
  ASSERT_TRUE(watchdog.wait_for_line("begun /never"));
  watchdog.signal(SIGTERM);
  const auto answer = held.find_answer();
  if (answer) expect_own_error(*answer, 503);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 1) << "requests were cut\n" << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
}

TEST(drain, the_function_is_told_and_then_made_to_end) {
  WatchdogProcess watchdog(
      {.function = kStubborn,
       .environment = {{"mode", "afterburn"}, {"afterburn_workers", "2"}, {"shutdown_timeout", "2s"}}});
  const auto workers = watchdog.children();
  ASSERT_EQ(workers.size(), 2U);
  ASSERT_TRUE(wait_until([&] { return watchdog.count_lines("stderr: listening to signals") == 2; }));
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("stderr: told to end"), 2U) << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
}

TEST(drain, grandchildren_go_with_the_function) {
  WatchdogProcess watchdog(misbehave({{"shutdown_timeout", "500ms"}}));
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/fork-holder", "x")));
  ASSERT_TRUE(watchdog.wait_for_line("holder "));
  pid_t holder = 0;
  for (const std::string& line : watchdog.lines())
    if (const auto at = line.find("holder "); at != std::string::npos) holder = std::stoi(line.substr(at + 7));
  ASSERT_GT(holder, 0);
  ASSERT_TRUE(is_running(holder));
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 1) << watchdog.log();
  EXPECT_TRUE(wait_until([&] { return !is_running(holder); }));
}

}  // namespace
}  // namespace fwd::test
