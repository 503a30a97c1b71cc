// The fragilities of the old runner in the life of a worker: deadlines, deaths, queues, start and stop. The reference's
// number is in each name.

#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// The watchdog is still there and answers at once, so it has seen whatever was sent to it before.
void round_trip(const WatchdogProcess& watchdog) {
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
}

TEST(fragility, n04_exec_timeout_answers_504_and_replaces_the_worker) {
  WatchdogProcess watchdog(misbehave({{"exec_timeout", "300ms"}}));
  const auto before = watchdog.children();
  expect_own_error(post(watchdog, "/never"), 504);
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(fragility, n04_x_timeout_answers_504_and_the_late_answer_reaches_nobody) {
  WatchdogProcess watchdog(misbehave());
  const Gate gate(watchdog);
  const auto before = watchdog.children();
  expect_own_error(post(watchdog, "/wait", gate.path(), {{"X-Timeout", "200ms"}}), 504);
  gate.open();
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(fragility, n05_a_function_that_dies_costs_only_its_own_request) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  expect_own_error(post(watchdog, "/exit-before-answer"), 502);
  expect_echo(watchdog);
  expect_replaced(watchdog, before);
  EXPECT_TRUE(wait_until([&watchdog] { return request(watchdog.port(), "GET", "/_/ready").status == 200; }));
}

TEST(fragility, n05_a_function_that_dies_behind_its_head_costs_a_502) {
  const std::string dies =
      "import os, sys, time\n"
      "while sys.stdin.buffer.readline() != b'\\r\\n': pass\n"
      "os.write(1, b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\n')\n"
      "time.sleep(0.1)\n";
  WatchdogProcess watchdog({.function = {"python3", "-c", dies},
                            .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}});
  expect_own_error(request(watchdog.port(), "GET", "/"), 502);
}

TEST(fragility, n05_an_answer_that_breaks_off_is_no_clean_end) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const auto answer = try_request(watchdog.port(), "POST", "/exit-mid-answer", "x");
  EXPECT_TRUE(!answer || answer->status == 502) << answer->raw_head;
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(fragility, n05_a_worker_killed_while_idle_costs_no_request) {
  WatchdogProcess watchdog(misbehave());
  for (int round = 0; round < 20; ++round) {
    const auto before = watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
    ASSERT_EQ(before.size(), 1U);
    kill(before.front(), SIGKILL);
    ASSERT_TRUE(wait_until([&before] { return !is_running(before.front()); }));
    expect_echo(watchdog, "round " + std::to_string(round));
  }
}

TEST(fragility, n15_several_workers_answer_at_the_same_time) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", "2"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  expect_echo(watchdog);
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
}

TEST(fragility, n15_a_full_queue_answers_429_and_the_waiting_request_is_served) {
  WatchdogProcess watchdog(misbehave({{"max_queue", "1"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  HttpClient waiting(watchdog.port());
  ASSERT_TRUE(waiting.send(render_request("POST", "/echo", "waited")));
  round_trip(watchdog);
  const HttpAnswer refused = post(watchdog, "/log", "refused");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.header("Retry-After")) << refused.raw_head;
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  const auto served = waiting.find_answer();
  ASSERT_TRUE(served) << waiting.last_error();
  EXPECT_EQ(served->body, "waited");
  EXPECT_EQ(watchdog.count_lines("log refused"), 0U);
}

TEST(fragility, n15_waiting_too_long_answers_429_and_the_function_never_sees_it) {
  WatchdogProcess watchdog(misbehave({{"max_queue_wait", "200ms"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  const HttpAnswer late = post(watchdog, "/log", "late");
  EXPECT_EQ(late.status, 429);
  EXPECT_TRUE(late.header("Retry-After")) << late.raw_head;
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.count_lines("log late"), 0U);
}

TEST(fragility, n15_a_request_whose_client_has_gone_never_reaches_a_worker) {
  WatchdogProcess watchdog(misbehave());
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/log", "abandoned")));
  round_trip(watchdog);
  client.reset();
  round_trip(watchdog);
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.count_lines("log abandoned"), 0U);
}

TEST(fragility, n16_a_program_that_cannot_start_ends_the_watchdog_with_69) {
  WatchdogProcess watchdog(
      {.function = {"/nonexistent/program"}, .environment = {{"mode", "afterburn"}}, .expect_ready = false});
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 69) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("/nonexistent/program")) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("No such file or directory")) << watchdog.log();
  EXPECT_FALSE(std::filesystem::exists(watchdog.folder() / ".lock"));
}

/// Ends a watchdog over each of the functions that spin at the end of their input.
void expect_no_worker_survives(int number, int exit_code) {
  for (const std::string& fprocess :
       {"python3 " + compat_script("old_python3.py"), compat_program("old_java"), compat_program("old_scala")}) {
    SCOPED_TRACE(fprocess);
    WatchdogProcess watchdog(old_function(fprocess, {{"afterburn_units", "utf16"}}));
    const auto workers = watchdog.children();
    watchdog.signal(number);
    EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), exit_code) << watchdog.log();
    for (const pid_t pid : workers) EXPECT_TRUE(wait_until([pid] { return !is_running(pid); }));
  }
}

TEST(fragility, n19_functions_that_spin_at_the_end_of_their_input_are_ended) {
  expect_no_worker_survives(SIGTERM, 0);
  expect_no_worker_survives(SIGINT, 0);
}

TEST(fragility, n19_no_function_survives_a_watchdog_that_is_killed) {
  expect_no_worker_survives(SIGKILL, 128 + SIGKILL);
}

TEST(fragility, n20_sigterm_finishes_what_is_in_flight_and_ends_with_0) {
  WatchdogProcess watchdog(misbehave());
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  watchdog.signal(SIGTERM);
  EXPECT_FALSE(watchdog.wait_exit(milliseconds(50)));
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
}

TEST(fragility, n20_a_worker_that_ignores_sigterm_is_killed) {
  WatchdogProcess watchdog(misbehave({{"shutdown_timeout", "1s"}}));
  const auto workers = watchdog.children();
  EXPECT_EQ(post(watchdog, "/ignore-term").status, 200);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(15'000)), 0) << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
}

TEST(fragility, n23_ready_only_while_a_worker_is_up) {
  const std::string gone =
      (std::filesystem::temp_directory_path() / ("fwatchdog-gone-" + std::to_string(getpid()))).string();
  const std::string script = "test -e " + gone + " && exit 1; exec " + compat_program("misbehave");
  WatchdogProcess watchdog(
      {.function = {"sh", "-c", script}, .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}});
  const auto ready = [&watchdog] { return request(watchdog.port(), "GET", "/_/ready").status; };
  expect_echo(watchdog);
  std::ofstream(gone).flush();
  for (const pid_t pid : watchdog.children()) kill(pid, SIGKILL);
  EXPECT_TRUE(wait_until([&ready] { return ready() == 503; })) << watchdog.log();
  std::filesystem::remove(gone);
  EXPECT_TRUE(wait_until([&ready] { return ready() == 200; }, milliseconds(20'000))) << watchdog.log();
  expect_echo(watchdog);
}

}  // namespace
}  // namespace fwd::test
