// Clients that are slow, stop midway or vanish, and functions that are slower than the client's time.

#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

const std::string kHalfHead = "POST /log HTTP/1.1\r\nHost: h\r\nContent-Le";
const std::string kHalfBody = "POST /log HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf";

TEST(timeouts, a_request_that_stops_midway_is_answered_408) {
  WatchdogProcess watchdog(misbehave({{"read_timeout", "300ms"}}));
  for (const std::string& begun : {std::string("P"), kHalfHead, kHalfBody}) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(begun));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << begun << ": " << client.last_error();
    expect_own_error(*answer, 408);
    EXPECT_EQ(answer->header("Connection"), "close");
    EXPECT_TRUE(client.closed_by_peer());
  }
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.count_lines("log half"), 0U);
}

/// The limit is of the whole request, not of the pause between two bytes.
void expect_dripping_is_cut(const std::string& begun, const std::string& drop) {
  WatchdogProcess watchdog(misbehave({{"read_timeout", "500ms"}}));
  HttpClient client(watchdog.port(), milliseconds(20));  // its time-out paces the drops
  ASSERT_TRUE(client.send(begun));
  std::optional<HttpAnswer> answer;
  EXPECT_TRUE(wait_until([&] {
    (void)client.send(drop);
    answer = client.find_answer();
    return answer.has_value();
  }));
  ASSERT_TRUE(answer) << client.last_error();
  expect_own_error(*answer, 408);
  expect_echo(watchdog);
}

TEST(timeouts, a_head_that_drips_in_is_answered_408) {
  expect_dripping_is_cut("GET / HTTP/1.1\r\nHost: h\r\n", "X: y\r\n");
}

TEST(timeouts, a_body_that_drips_in_is_answered_408) {
  expect_dripping_is_cut("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n", "x");
}

TEST(timeouts, chunks_that_drip_in_are_answered_408) {
  expect_dripping_is_cut("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n");
}

TEST(timeouts, a_client_that_closes_midway_gets_no_answer_and_costs_nothing) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  for (const std::string& begun : {std::string(), std::string("\r\n"), kHalfHead, kHalfBody}) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(begun));
    client.shut_down_sending();
    const auto text = client.read_to_end();
    EXPECT_TRUE(!text || text->empty()) << *text;
  }
  expect_echo(watchdog);
  expect_kept(watchdog, before);
  EXPECT_EQ(watchdog.count_lines("log half"), 0U);
}

TEST(timeouts, an_idle_connection_is_closed_without_a_word) {
  WatchdogProcess watchdog(misbehave({{"keepalive_timeout", "200ms"}}));
  HttpClient fresh(watchdog.port());
  EXPECT_TRUE(fresh.closed_by_peer());
  HttpClient used(watchdog.port());
  ASSERT_TRUE(used.ask("POST", "/", "x")) << used.last_error();
  EXPECT_TRUE(used.closed_by_peer());
}

TEST(timeouts, without_an_idle_limit_of_its_own_read_timeout_counts) {
  WatchdogProcess watchdog(misbehave({{"read_timeout", "200ms"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.ask("POST", "/", "x")) << client.last_error();
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(timeouts, a_client_that_resets_in_mid_answer_hurts_nobody) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  for (int round = 0; round < 10; ++round) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(render_request("POST", "/big?n=8000000", "x")));
    EXPECT_EQ(client.read_bytes(1000).size(), 1000U);
    auto other = std::async(std::launch::async, [&] { return post(watchdog, "/echo", "other"); });
    client.reset();
    EXPECT_EQ(other.get().body, "other");
  }
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(timeouts, an_answer_that_outlasts_write_timeout_is_cut) {
  WatchdogProcess watchdog(misbehave({{"write_timeout", "1s"}}));
  const Gate gate(watchdog);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/half-then-wait", gate.path())));
  const auto answer = client.find_answer();
  EXPECT_FALSE(answer) << answer->raw_head;
  gate.open();
  expect_echo(watchdog);
}

/// Here nothing but the end tells that the body is over, so the end must not look like one.
TEST(timeouts, a_cut_answer_is_no_clean_end_to_a_1_0_client) {
  constexpr const char* kHalf =
      "import sys, time\n"
      "print('ready', file=sys.stderr, flush=True)\n"
      "sys.stdin.buffer.readline()\n"
      "sys.stdout.write('HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nhalf\\r\\n')\n"
      "sys.stdout.flush()\n"
      "time.sleep(60)\n";
  WatchdogProcess watchdog(
      {.function = {"python3", "-c", kHalf},
       .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}, {"write_timeout", "1s"}}});
  ASSERT_TRUE(watchdog.wait_for_line("ready"));  // an interpreter may take longer to start than the client waits
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n"));
  const auto text = client.read_to_end();
  EXPECT_FALSE(text) << "a clean end after: " << *text;
}

TEST(timeouts, x_timeout_is_only_ever_shorter) {
  WatchdogProcess watchdog(misbehave({{"exec_timeout", "500ms"}, {"afterburn_workers", "2"}}));
  for (const char* text : {"0s", "-1s", "1h", "never", "5", ""}) {
    SCOPED_TRACE(text);
    expect_own_error(post(watchdog, "/never", "x", {{"X-Timeout", text}}), 504);
  }
  expect_echo(watchdog);
}

TEST(timeouts, x_timeout_passes_to_the_function_and_leaves_a_quick_answer_alone) {
  WatchdogProcess watchdog(misbehave());
  const HttpAnswer answer = post(watchdog, "/echo-head", "x", {{"X-Timeout", "20s"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("\r\nX-Timeout: 20s\r\n"), std::string::npos) << answer.body;
}

TEST(timeouts, the_wait_for_a_worker_counts_and_is_answered_504_before_write_timeout) {
  WatchdogProcess watchdog(misbehave({{"write_timeout", "1500ms"}}));
  const Gate gate(watchdog);
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  expect_own_error(post(watchdog, "/log", "queued"), 504);
  const auto late = held.find_answer();
  ASSERT_TRUE(late) << held.last_error();
  expect_own_error(*late, 504);
  gate.open();
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.count_lines("log queued"), 0U);
}

std::size_t resident_kilobytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

/// 50 MB in pieces, and a line of log for each of them.
constexpr const char* kFiftyPieces = R"(
import sys
source, output = sys.stdin.buffer, sys.stdout.buffer
for line in iter(source.readline, b''):
    while line.strip(): line = source.readline()
    output.write(b'HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n')
    for piece in range(50):
        output.write(b'p' * 1000000)
        output.flush()
        print('piece', piece, file=sys.stderr, flush=True)
)";

/// Waits until no more lines come; how many there are.
std::size_t wait_for_standstill(const WatchdogProcess& watchdog, std::string_view part) {
  std::size_t count = 0;
  auto since = std::chrono::steady_clock::now();
  wait_until([&] {
    const std::size_t now = watchdog.count_lines(part);
    if (now != count) since = std::chrono::steady_clock::now();
    count = now;
    return std::chrono::steady_clock::now() - since > milliseconds(500);
  });
  return count;
}

TEST(timeouts, a_client_that_does_not_read_stops_the_function_and_takes_no_memory) {
  WatchdogProcess watchdog({.function = {"python3", "-c", kFiftyPieces},
                            .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}});
  EXPECT_EQ(request(watchdog.port(), "GET", "/").body.size(), 50'000'000U);  // the first 50 lines
  const std::size_t before = resident_kilobytes(watchdog.pid());
  ASSERT_GT(before, 0U);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/")));
  EXPECT_EQ(client.read_bytes(1000).size(), 1000U);
  const std::size_t written = wait_for_standstill(watchdog, "stderr: piece ");
  EXPECT_LT(written, 75U) << "25 of 50 pieces fit nowhere: the function went on though nobody reads";
  EXPECT_LT(resident_kilobytes(watchdog.pid()), before + 4 * 1024);
  EXPECT_TRUE(client.read_bytes(50'000'000 - 1000).size() == 50'000'000 - 1000);
  EXPECT_LT(resident_kilobytes(watchdog.pid()), before + 4 * 1024);
}

}  // namespace
}  // namespace fwd::test
