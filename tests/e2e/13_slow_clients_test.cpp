// What a client that reads or sends slowly, or a process that outlives its worker, must not do to others.

#include <gtest/gtest.h>
#include <signal.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

constexpr milliseconds kEnding{20'000};

/// More than socket buffers, so that an answer of this size waits for its client.
const std::string kBig = "/big?n=8000000";
constexpr std::size_t kBigBytes = 8'000'000;

TEST(slow_client, one_that_is_cut_by_write_timeout_leaves_its_worker_to_others) {
  WatchdogProcess watchdog(misbehave({{"write_timeout", "1s"}, {"exec_timeout", "20s"}}));
  HttpClient slow(watchdog.port());
  ASSERT_TRUE(slow.send(render_request("GET", kBig, "")));
  ASSERT_TRUE(watchdog.wait_for_line("the answer took longer than write_timeout")) << watchdog.log();
  const std::string body(300'000, 'b');
  for (int round = 0; round < 3; ++round) {
    const HttpAnswer answer = post(watchdog, "/echo", body);
    EXPECT_EQ(answer.status, 200) << watchdog.log();
    EXPECT_EQ(answer.body, body);
  }
}

TEST(slow_client, an_answer_under_way_at_sigterm_is_read_to_its_end) {
  WatchdogProcess watchdog(misbehave());
  HttpClient slow(watchdog.port());
  ASSERT_TRUE(slow.send(render_request("GET", "/big?n=1500000", "")));
  ASSERT_TRUE(watchdog.wait_for_line("ContentLength: 1.5MB")) << "the kernel holds what the client has not read";
  watchdog.signal(SIGTERM);
  const auto answer = slow.find_answer();
  ASSERT_TRUE(answer) << slow.last_error();
  EXPECT_EQ(answer->body.size(), 1'500'000U);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(slow_client, one_that_does_not_read_does_not_outlast_shutdown_timeout) {
  WatchdogProcess watchdog(misbehave({{"shutdown_timeout", "500ms"}, {"write_timeout", "300s"}}));
  HttpClient slow(watchdog.port());
  ASSERT_TRUE(slow.send(render_request("GET", kBig, "")));
  EXPECT_FALSE(slow.read_bytes(100).empty());
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 1) << "its answer is cut\n" << watchdog.log();
}

TEST(slow_client, x_timeout_counts_while_the_body_is_awaited) {
  WatchdogProcess watchdog(misbehave());
  HttpClient slow(watchdog.port());
  ASSERT_TRUE(slow.send("POST /echo HTTP/1.1\r\nHost: h\r\nX-Timeout: 100ms\r\nContent-Length: 10\r\n\r\nabc"));
  const auto answer = slow.find_answer();
  ASSERT_TRUE(answer) << slow.last_error();
  EXPECT_EQ(answer->status, 504) << answer->body;
  EXPECT_EQ(post(watchdog, "/echo").body, "hello");
}

TEST(slow_client, a_limit_beyond_the_clock_is_no_limit) {
  WatchdogProcess watchdog(misbehave({{"exec_timeout", "0"}, {"write_timeout", "2562047h"}}));
  EXPECT_EQ(post(watchdog, "/echo", "hello", {{"X-Timeout", "2562047h"}}).status, 200) << watchdog.log();
}

/// Starts a process of a session of its own that holds its log, and ends.
const std::string kLeavesHolder =
    "import os, subprocess, sys\n"
    "while line := sys.stdin.buffer.readline():\n"
    "    if line == b'\\r\\n':\n"
    "        subprocess.Popen(['sleep', '60'], start_new_session=True, stdin=subprocess.DEVNULL)\n"
    "        os._exit(3)\n";

TEST(slow_client, a_process_that_holds_the_log_of_a_dead_worker_stops_nobody) {
  WatchdogProcess watchdog({.function = {"python3", "-c", kLeavesHolder},
                            .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}});
  EXPECT_EQ(request(watchdog.port(), "GET", "/").status, 502);
  HttpClient probe(watchdog.port(), milliseconds(5'000));
  ASSERT_TRUE(probe.send(render_request("GET", "/_/health", "")));
  const auto health = probe.find_answer();
  ASSERT_TRUE(health) << "the event loop waits: " << probe.last_error();
  EXPECT_EQ(health->status, 200);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

static_assert(kBigBytes > 6 * 1024 * 1024, "net.ipv4.tcp_wmem and tcp_rmem: 4 and 6 MiB at the most");

}  // namespace
}  // namespace fwd::test
