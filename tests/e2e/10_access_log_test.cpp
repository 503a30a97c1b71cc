// One line for each request, in the form that old dashboards read, and none that a client can forge.

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// The last line with `part`, without the time at its front.
std::string last_line(const WatchdogProcess& watchdog, const std::string& part) {
  EXPECT_TRUE(watchdog.wait_for_line(part)) << watchdog.log();
  std::string found;
  for (const std::string& line : watchdog.lines())
    if (line.find(part) != std::string::npos) found = line;
  static const std::regex time("^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ");
  EXPECT_TRUE(std::regex_search(found, time)) << found;
  return std::regex_replace(found, time, "");
}

void expect_line(const WatchdogProcess& watchdog, const std::string& part, const std::string& pattern) {
  const std::string line = last_line(watchdog, part);
  EXPECT_TRUE(std::regex_match(line, std::regex(pattern))) << line << "\nis no " << pattern;
}

TEST(access_log, a_line_has_method_target_status_size_and_time) {
  WatchdogProcess watchdog(misbehave());
  (void)post(watchdog, "/", std::string(46, 'x'));
  expect_line(watchdog, "POST / -", R"(POST / - 200 OK - ContentLength: 46B \([0-9]+\.[0-9]{4}s\))");
  (void)request(watchdog.port(), "DELETE", "/big?n=1282&x=y");
  expect_line(watchdog, "DELETE ",
              R"(DELETE /big\?n=1282&x=y - 200 OK - ContentLength: 1\.282kB \([0-9]+\.[0-9]{4}s\))");
  (void)post(watchdog, "/status-500", "");
  expect_line(watchdog, "/status-500", R"(POST /status-500 - 500 Internal Server Error - ContentLength: 0B \(.*\))");
  (void)request(watchdog.port(), "GET", "/chunked");
  expect_line(watchdog, "GET /chunked", R"(GET /chunked - 200 OK - ContentLength: 0B \(.*\))");
}

TEST(access_log, an_error_of_our_own_says_why) {
  WatchdogProcess watchdog(misbehave());
  (void)post(watchdog, "/exit-before-answer");
  expect_line(
      watchdog, "POST /exit-before-answer",
      R"(POST /exit-before-answer - 502 Bad Gateway - ContentLength: [0-9]+B \(.*s\): .*ended before its answer.*)");
}

TEST(access_log, call_ids_are_passed_on_and_logged_where_asked_for) {
  WatchdogProcess watchdog(misbehave({{"log_callid", "1"}}));
  const HttpAnswer answer = post(watchdog, "/echo-head", "x", {{"x-call-id", "call-7"}, {"X-Start-Time", "123"}});
  EXPECT_NE(answer.body.find("\r\nX-Call-Id: call-7\r\n"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("\r\nX-Start-Time: 123\r\n"), std::string::npos) << answer.body;
  expect_line(watchdog, "POST /echo-head", R"(POST /echo-head - 200 OK - ContentLength: [0-9]+B \(.*s\) \[call-7\])");
  (void)post(watchdog, "/without");
  expect_line(watchdog, "POST /without", R"(POST /without - 200 OK - ContentLength: 5B \(.*s\) \[none\])");
}

TEST(access_log, call_ids_are_left_out_otherwise) {
  WatchdogProcess watchdog(misbehave());
  (void)post(watchdog, "/echo", "x", {{"X-Call-Id", "call-8"}});
  EXPECT_EQ(last_line(watchdog, "POST /echo").find("call-8"), std::string::npos);
}

TEST(access_log, probes_of_kubernetes_and_our_own_endpoints_are_left_out) {
  WatchdogProcess watchdog(misbehave());
  EXPECT_EQ(request(watchdog.port(), "GET", "/probed", "", {{"User-Agent", "kube-probe/1.29"}}).status, 200);
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").status, 200);
  EXPECT_EQ(request(watchdog.port(), "GET", "/seen", "", {{"User-Agent", "not kube-probe"}}).status, 200);
  (void)last_line(watchdog, "GET /seen");
  EXPECT_EQ(watchdog.count_lines("/probed"), 0U);
  EXPECT_EQ(watchdog.count_lines("/_/"), 0U);
}

TEST(access_log, no_request_can_forge_a_line) {
  WatchdogProcess watchdog(misbehave({{"log_callid", "true"}}));
  (void)post(watchdog, "/\x80\xff/\xc3\xa9%0a", "x", {{"X-Call-Id", "a\tb\xc2\x85"}});
  expect_line(watchdog, "POST /\\x80", R"(POST /\\x80\\xff/\\xc3\\xa9%0a - 200 OK - .*\[a\\x09b\\xc2\\x85\])");
  (void)post(watchdog, "/" + std::string(3000, 't'));
  const std::string line = last_line(watchdog, "POST /ttt");
  EXPECT_LT(line.size(), 1200U) << "a target is cut after 1 KiB";
  EXPECT_NE(line.find("t... - 200 OK"), std::string::npos) << line;
  const auto lines = watchdog.lines();
  const auto dated = [](const std::string& text) { return text.size() > 19 && text[4] == '/' && text[10] == ' '; };
  EXPECT_TRUE(std::all_of(lines.begin(), lines.end(), dated)) << watchdog.log();
}

TEST(access_log, lines_of_the_function_have_their_stream_or_none) {
  WatchdogProcess prefixed(misbehave());
  (void)post(prefixed, "/log", "said");
  EXPECT_EQ(last_line(prefixed, "log said"), "stderr: log said");
  WatchdogProcess bare(misbehave({{"prefix_logs", "false"}}));
  (void)post(bare, "/log", "said");
  ASSERT_TRUE(bare.wait_for_line("log said"));
  const auto lines = bare.lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "log said"), 1) << bare.log();
}

}  // namespace
}  // namespace fwd::test
