// Output that begins with a CGI header block, variables by RFC 3875, and processes that wait for their request.

#include <signal.h>

#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

class CgiModes : public testing::TestWithParam<std::string> {
 protected:
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(modes, CgiModes, testing::Values("streaming", "serializing", "classic"),
                         [](const auto& each) { return each.param; });

TEST_P(CgiModes, a_header_block_makes_the_head_of_the_answer) {
  struct Case {
    const char* output;
    int status;
    const char* reason;
    const char* type;
    const char* body;
  };
  const std::string standard = GetParam() == "classic" ? "text/plain; charset=utf-8" : "application/octet-stream";
  for (const Case& each :
       {Case{"Status: 404 Not Here\nContent-Type: a/b\nX-More: 1\n\nbody", 404, "Not Here", "a/b", "body"},
        Case{"Content-Type: a/b\r\n\r\nbody", 200, "OK", "a/b", "body"},
        Case{"Location: https://example.com/\n\n", 302, "Found", "", ""},
        Case{"Location: /local\n\n", 302, "Found", "", ""},
        Case{"no block at all", 200, "OK", standard.c_str(), "no block at all"},
        Case{"X-Cut: short\n", 200, "OK", standard.c_str(), "X-Cut: short\n"}}) {
    SCOPED_TRACE(each.output);
    const WatchdogProcess watchdog(one_shot(GetParam(), {PROBE_BINARY, "print", each.output}, {{"cgi_response", "true"}}));
    const HttpAnswer answer = request(watchdog.port(), "GET", "/");
    EXPECT_EQ(answer.status, each.status);
    EXPECT_EQ(answer.reason, each.reason);
    EXPECT_EQ(answer.body, each.body);
    const std::string type = answer.header("Content-Type").value_or("");
    EXPECT_EQ(each.status == 302 ? "" : type, each.type);
    EXPECT_EQ(answer.header("X-More").has_value(), each.status == 404);
    EXPECT_FALSE(answer.header("Status"));
    EXPECT_EQ(answer.header("Location").has_value(), each.status == 302);
  }
}

TEST_P(CgiModes, a_malformed_block_is_answered_502) {
  const WatchdogProcess watchdog(
      one_shot(GetParam(), {PROBE_BINARY, "print", "X-Good: 1\nbad line\n\nbody"}, {{"cgi_response", "true"}}));
  EXPECT_EQ(request(watchdog.port(), "GET", "/").status, 502);
  expect_no_process_left(watchdog);
}

TEST_P(CgiModes, a_large_body_follows_a_block_whole) {
  const WatchdogProcess watchdog(
      shell(GetParam(), "printf 'X-Block: 1\\n\\n'; cat", {{"cgi_response", "true"}, {"body_memory", "10000"}}));
  const std::string body = random_bytes(700'000, 5);
  const HttpAnswer answer = request(watchdog.port(), "POST", "/", body);
  EXPECT_TRUE(answer.body == body) << answer.body.size();
  EXPECT_EQ(answer.header("X-Block"), "1");
}

TEST_P(CgiModes, variables_follow_rfc_3875_where_that_is_asked_for) {
  const WatchdogProcess watchdog(
      shell(GetParam(), "env | grep -E '^(Http|HTTP|REQUEST_METHOD|PATH_INFO|QUERY|CONTENT|REMOTE|GATEWAY)' | sort",
            {{"cgi_vars", "rfc3875"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/a%20b?q=1", "hello", {{"X-A", "1"}, {"X-A", "2"}}).body,
            "CONTENT_LENGTH=5\nGATEWAY_INTERFACE=CGI/1.1\nHTTP_HOST=127.0.0.1\nHTTP_X_A=1, 2\nPATH_INFO=/a b\n"
            "QUERY_STRING=q=1\nREMOTE_ADDR=127.0.0.1\nREQUEST_METHOD=POST\n");
}

TEST_P(CgiModes, a_request_overrides_a_variable_of_the_watchdog_and_the_next_one_does_not_see_it) {
  const WatchdogProcess watchdog(
      shell(GetParam(), "env | grep -c ^Http_X_A=; echo $Http_X_A", {{"Http_X_A", "ours"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x", {{"X-A", "theirs"}}).body, "1\ntheirs\n");
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "1\nours\n");
}

TEST_P(CgiModes, preforked_processes_answer_and_are_replaced) {
  const WatchdogProcess watchdog(
      shell(GetParam(), "echo $$; cat", {{"prefork", "2"}, {"cgi_headers", "false"}}));
  const auto two = [](const std::vector<pid_t>& pids) { return pids.size() == 2; };
  std::vector<pid_t> waiting = watchdog.wait_children(two);
  ASSERT_EQ(waiting.size(), 2U) << watchdog.log();
  for (int round = 0; round < 6; ++round) {
    const HttpAnswer answer = request(watchdog.port(), "POST", "/", "body");
    EXPECT_EQ(answer.status, 200);
    const pid_t pid = std::atoi(answer.body.c_str());
    EXPECT_EQ(answer.body, std::to_string(pid) + "\nbody");
    EXPECT_NE(std::ranges::find(waiting, pid), waiting.end()) << "started for this request";
    waiting = watchdog.wait_children(
        [&](const std::vector<pid_t>& pids) { return two(pids) && std::ranges::find(pids, pid) == pids.end(); });
    ASSERT_EQ(waiting.size(), 2U);
  }
}

TEST_P(CgiModes, a_preforked_process_that_dies_is_replaced) {
  const WatchdogProcess watchdog(one_shot(GetParam(), {"cat"}, {{"prefork", "1"}, {"cgi_headers", "false"}}));
  const auto one = [](const std::vector<pid_t>& pids) { return pids.size() == 1; };
  const std::vector<pid_t> before = watchdog.wait_children(one);
  ASSERT_EQ(before.size(), 1U);
  ::kill(before.front(), SIGKILL);
  const auto after =
      watchdog.wait_children([&](const std::vector<pid_t>& pids) { return one(pids) && pids != before; });
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NE(after, before);
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "x");
}

TEST_P(CgiModes, more_requests_than_preforked_processes_start_their_own) {
  const Fifo gate(folder_ / "gate");
  const WatchdogProcess watchdog(shell(GetParam(), "echo begun >> " + (folder_ / "begun") + "; cat; read x < " + gate.path(),
                                       {{"prefork", "1"}, {"cgi_headers", "false"}}));
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(watchdog.port());
    ASSERT_TRUE(clients.back().send(render_request("POST", "/", "body")));
  }
  ASSERT_TRUE(wait_until([&] { return read_file(folder_ / "begun").size() >= 3 * 6; }));
  EXPECT_TRUE(wait_until([&] { return watchdog.children().size() >= 4; }));  // three at work, and the next one
  const int gate_end = ::open(gate.path().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(gate_end, 0);
  ASSERT_EQ(::write(gate_end, "\n\n\n\n\n\n", 6), 6);
  for (HttpClient& client : clients) {
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "body");
  }
  ::close(gate_end);
}

TEST_P(CgiModes, preforked_processes_end_with_the_watchdog) {
  WatchdogProcess watchdog(shell(GetParam(), "trap '' TERM; cat", {{"prefork", "3"}, {"cgi_headers", "false"}}));
  const auto pids = watchdog.wait_children([](const std::vector<pid_t>& found) { return found.size() == 3; });
  ASSERT_EQ(pids.size(), 3U);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0);
  for (const pid_t pid : pids) EXPECT_FALSE(is_running(pid));
}

}  // namespace
}  // namespace fwd::test
