// What clients, probes and logs of the old watchdogs rely on, the same in every mode.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

#include "tests/e2e/fragilities.hpp"
#include "tests/e2e/http_function.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd::test {
namespace {

/// A watchdog in each mode whose `/echo` answers `hello` to `hello`: a function that echoes, or a file.
class EveryMode : public testing::TestWithParam<std::string> {
 protected:
  WatchdogOptions options(Variables variables = {}) const {
    if (GetParam() == "afterburn") return misbehave(std::move(variables));
    if (GetParam() == "http") return http_function(std::move(variables));
    variables["mode"] = GetParam();
    if (GetParam() != "static") return {.function = {"cat"}, .environment = std::move(variables)};
    folder_.write("echo", "hello");
    variables["static_path"] = folder_.path().string();
    return {.environment = std::move(variables)};
  }
  bool is(std::initializer_list<const char*> modes) const {
    return std::ranges::any_of(modes, [](const char* mode) { return mode == GetParam(); });
  }
  /// A method that every mode serves; only a file takes no POST.
  std::string method() const { return is({"static"}) ? "GET" : "POST"; }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(modes, EveryMode,
                         testing::Values("afterburn", "http", "streaming", "serializing", "classic", "static"),
                         [](const auto& each) { return each.param; });

constexpr const char* kFive = "Content-Length: 5\r\n\r\nhello";

/// The lines of the watchdog's own, without the time at their front.
std::vector<std::string> own_lines(const WatchdogProcess& watchdog) {
  static const std::regex time("^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ");
  std::vector<std::string> found;
  for (const std::string& line : watchdog.lines()) {
    const std::string text = std::regex_replace(line, time, "");
    if (!text.starts_with("stdout: ") && !text.starts_with("stderr: ")) found.push_back(text);
  }
  return found;
}

TEST_P(EveryMode, an_http_1_0_client_has_its_answer_and_the_end) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(method() + " /echo HTTP/1.0\r\n" + kFive));
  const auto bytes = client.read_to_end();
  ASSERT_TRUE(bytes) << client.last_error();
  EXPECT_TRUE(bytes->starts_with("HTTP/1.1 200 OK\r\n")) << *bytes;
  EXPECT_TRUE(bytes->ends_with("\r\n\r\nhello")) << *bytes;
  EXPECT_EQ(bytes->find("Transfer-Encoding"), std::string::npos) << *bytes;
}

/// The rule of ab: it asks with `Connection: Keep-Alive`, and goes on only where the answer says so and has a length.
TEST_P(EveryMode, an_http_1_0_client_that_asks_for_it_stays_and_gets_a_length) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(method() + " /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n" + kFive));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(answer->header("Connection"), "keep-alive") << answer->raw_head;
    EXPECT_EQ(answer->header("Content-Length"), "5") << answer->raw_head;
  }
}

TEST_P(EveryMode, a_chunked_request_arrives_whole_and_the_connection_goes_on) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  const int rounds = is({"static"}) ? 1 : 2;  // nobody reads a body that is sent to a file
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(client.send(method() + " /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                                       "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nX-Trailer: 1\r\n\r\n"));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello");
  }
}

TEST_P(EveryMode, a_client_that_expects_100_is_asked_for_its_body_where_somebody_wants_it) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(
      client.send(method() + " /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, is({"static"}) ? 200 : 100);
  if (answer->status == 100) {
    ASSERT_TRUE(client.send("hello"));
    answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
  }
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "hello");
}

TEST_P(EveryMode, head_has_no_body_and_the_connection_goes_on) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
  const auto head = client.find_answer(true);
  ASSERT_TRUE(head) << client.last_error();
  EXPECT_EQ(head->status, is({"classic"}) ? 405 : 200);
  const auto next = client.ask(method(), "/echo", "hello");
  ASSERT_TRUE(next) << client.last_error();
  EXPECT_EQ(next->body, "hello");
}

TEST_P(EveryMode, a_path_is_never_redirected_for_its_slashes_or_dots) {
  const WatchdogProcess watchdog(options());
  for (const char* path : {"//echo", "/a//../echo", "/./echo"}) {
    const HttpAnswer answer = request(watchdog.port(), method(), path, "hello");
    EXPECT_TRUE(answer.status == 200 || answer.status == 404) << path << answer.raw_head;
    EXPECT_FALSE(answer.header("Location")) << path << answer.raw_head;
  }
}

TEST_P(EveryMode, options_of_the_server_itself_is_a_request_as_others_are) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer answer = request(watchdog.port(), "OPTIONS", "*");
  EXPECT_EQ(answer.status, is({"classic", "static"}) ? 405 : 200) << answer.body;
}

TEST_P(EveryMode, type_and_duration_are_those_of_the_mode) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer answer = request(watchdog.port(), method(), "/echo", "hello");
  const bool forced = is({"streaming", "serializing"});
  EXPECT_EQ(answer.header("Content-Type"), forced         ? "application/octet-stream"
                                           : is({"http"}) ? "text/plain"
                                                          : "text/plain; charset=utf-8");
  const auto duration = answer.header("X-Duration-Seconds");
  EXPECT_EQ(duration.has_value(), is({"http", "serializing", "classic"})) << answer.raw_head;
  if (duration) {
    EXPECT_TRUE(std::regex_match(*duration, std::regex("[0-9]+\\.[0-9]{6}"))) << *duration;
  }
}

TEST_P(EveryMode, over_max_inflight_the_answer_is_that_of_the_old_limiter) {
  if (is({"static"})) GTEST_SKIP() << "nobody can hold a place before a file";
  const WatchdogProcess watchdog(options({{"max_inflight", "1"}}));
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhal"));
  ASSERT_TRUE(wait_until([&] { return request(watchdog.port(), "GET", "/_/ready").status == 429; }));
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").body, "");
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
  const HttpAnswer answer = post(watchdog, "/echo");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.body, "Concurrent request limit exceeded. Max concurrent requests: 1\n");
  EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "faas-middleware") << answer.raw_head;
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8") << answer.raw_head;
}

TEST_P(EveryMode, probes_are_answered_and_have_no_line) {
  const WatchdogProcess watchdog(options());
  const Fields probe{{"User-Agent", "kube-probe/1.29"}};
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/health", "", probe).body, "OK");
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready", "", probe).status, 200);
  EXPECT_EQ(request(watchdog.port(), method(), "/echo?probe", "hello", probe).status, 200);
  EXPECT_EQ(request(watchdog.port(), method(), "/echo?seen", "hello").status, 200);
  const std::string last = is({"classic"}) ? "Wrote 5 Bytes" : method() + " /echo?seen";
  if (!is({"static"})) {
    EXPECT_TRUE(watchdog.wait_for_line(last)) << watchdog.log();
  }
  EXPECT_EQ(watchdog.count_lines("/_/") + watchdog.count_lines("?probe"), 0U) << watchdog.log();
}

TEST_P(EveryMode, a_line_ends_with_the_call_id_where_that_is_asked_for) {
  if (is({"classic", "static"})) GTEST_SKIP() << "as before, there is no line of this kind";
  const WatchdogProcess watchdog(options({{"log_callid", "1"}}));
  EXPECT_EQ(post(watchdog, "/echo?a", "hello", {{"X-Call-Id", "call-9"}}).status, 200);
  EXPECT_EQ(post(watchdog, "/echo?b", "hello").status, 200);
  const std::string reason = is({"http", "afterburn"}) ? " OK" : "";
  for (const auto& [part, id] : {std::pair{"a", "call-9"}, std::pair{"b", "none"}}) {
    const std::string begin = std::string("POST /echo?") + part + " - 200" + reason + " - ContentLength: 5B (";
    ASSERT_TRUE(watchdog.wait_for_line(begin)) << watchdog.log();
    for (const std::string& line : own_lines(watchdog))
      if (line.starts_with(begin)) {
        EXPECT_TRUE(line.ends_with(std::string("s) [") + id + "]")) << line;
      }
  }
}

TEST_P(EveryMode, the_log_begins_and_ends_with_the_lines_of_old) {
  WatchdogProcess watchdog(options({{"port", "0"}}));
  ASSERT_TRUE(watchdog.wait_for_line("Writing lock-file")) << watchdog.log();
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(20'000)), 0) << watchdog.log();
  ASSERT_TRUE(watchdog.wait_for_line("Exiting. Active connections: 0")) << watchdog.log();
  auto lines = own_lines(watchdog);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("Forked function has terminated"); });

  std::vector<std::string> expected;
  if (is({"afterburn", "http"})) {
    expected.push_back("Started logging: stderr from function.");
    if (is({"http"})) expected.push_back("Started logging: stdout from function.");
  }
  if (is({"static"})) expected.push_back("Serving files at: " + folder_.path().string());
  const bool classic = is({"classic"});
  if (!classic) expected.push_back("Watchdog mode: " + GetParam() + "\tfprocess: \"");
  expected.push_back(classic ? "Timeouts: read: 30s write: 30s hard: 0s health: 0s."
                             : "Timeouts: read: 30s write: 30s hard: 30s health: 0s");
  const std::string lock = (watchdog.folder() / ".lock").string();
  for (const std::string& line :
       {"Listening on port: " + std::to_string(watchdog.port()), "Writing lock-file to: " + lock,
        std::string("SIGTERM: no new connections in 0s"), "Removing lock-file : " + lock,
        std::string("No new connections allowed, draining: 0 requests"), std::string("Exiting. Active connections: 0")})
    expected.push_back(line);
  const std::size_t before = is({"afterburn", "http"}) ? 2 : 1;  // Version, Forking
  ASSERT_EQ(lines.size(), expected.size() + before) << watchdog.log();
  EXPECT_TRUE(std::regex_match(lines[0], std::regex("Version: [^\t]+\tSHA: .+"))) << lines[0];
  if (before == 2) {
    EXPECT_TRUE(std::regex_match(lines[1], std::regex("Forking: [^ ]+, arguments: \\[.*\\]"))) << lines[1];
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& line = lines[i + before];
    if (expected[i].ends_with('"')) {
      EXPECT_TRUE(line.starts_with(expected[i])) << line;
    } else {
      EXPECT_EQ(line, expected[i]);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(lock));
}

}  // namespace
}  // namespace fwd::test
