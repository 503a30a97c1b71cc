// Rows of the contract of the old watchdogs that no other test holds.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/http_function.hpp"
#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

constexpr const char* kList = "echo mine=$MINE; env | grep ^Http_ | LC_ALL=C sort";

/// What a child of `mode` sees of a request.
std::string variables_of(const std::string& mode, std::string_view bytes) {
  const WatchdogProcess watchdog(shell(mode, kList, {{"MINE", "inherited"}}));
  HttpClient client(watchdog.port());
  EXPECT_TRUE(client.send(bytes));
  const auto answer = client.find_answer();
  EXPECT_TRUE(answer) << client.last_error() << watchdog.log();
  return answer ? answer->body : "";
}

/// Http_Host and Http_ContentLength are classic-watchdog's; of-watchdog had neither, and functions of both find theirs.
TEST(contract_children, have_the_watchdogs_environment_and_variables_for_the_request) {
  for (const std::string mode : {"streaming", "serializing"}) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(
        variables_of(mode,
                     "POST //a%20b/../c?q=1&r HTTP/1.1\r\nHost: h.example\r\nx-lower_under: l\r\nX_Under: u\r\n"
                     "X-Two: 1\r\nx-two: 2\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello"),
        "mine=inherited\nHttp_ContentLength=5\nHttp_Content_Length=5\nHttp_Host=h.example\nHttp_Method=POST\n"
        "Http_Path=//a b/../c\nHttp_Query=q=1&r\nHttp_X_Empty=\nHttp_X_Lower_under=l\nHttp_X_Two=1\nHttp_X_under=u\n");
    EXPECT_EQ(variables_of(mode, "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              "mine=inherited\nHttp_ContentLength=-1\nHttp_Host=h\nHttp_Method=PUT\nHttp_Path=/\n"
              "Http_Transfer_Encoding=chunked\n");
  }
}

TEST(contract_children, cannot_be_told_a_query_method_or_path_by_a_field) {
  for (const std::string mode : {"streaming", "serializing", "classic"}) {
    const std::string seen =
        variables_of(mode, "GET /real HTTP/1.1\r\nHost: h\r\nQuery: x\r\nMethod: y\r\nPath: z\r\n\r\n");
    EXPECT_NE(seen.find("Http_Method=GET\n"), std::string::npos) << mode << seen;
    EXPECT_NE(seen.find("Http_Path=/real\n"), std::string::npos) << mode << seen;
    EXPECT_EQ(seen.find("Http_Query"), std::string::npos) << mode << seen;
  }
}

TEST(contract_http, the_function_has_no_variables_of_requests) {
  ByteServer upstream(behind_the_look({{read_request(), send(kOkAnswer)}}));
  const std::string url = "http://127.0.0.1:" + std::to_string(upstream.port());
  const TemporaryFolder folder;
  WatchdogOptions options = shell(
      "http", "env > " + (folder / "environment") + "; echo done >> " + (folder / "environment") + "; exec sleep 60",
      {{"upstream_url", url}, {"MINE", "inherited"}});
  const WatchdogProcess watchdog(options);
  EXPECT_EQ(request(watchdog.port(), "GET", "/", "", {{"X-A", "1"}}).body, "ok");
  std::string environment;
  EXPECT_TRUE(wait_until([&] { return (environment = read_file(folder / "environment")).ends_with("done\n"); }));
  EXPECT_NE(environment.find("MINE=inherited\n"), std::string::npos) << environment;
  EXPECT_EQ(environment.find("Http_"), std::string::npos) << environment;
}

/// Some servers end with their input.
TEST(contract_http, the_functions_input_is_a_pipe_that_stays_open) {
  ByteServer upstream(behind_the_look({{read_request(), send(kOkAnswer)}}));
  const std::string url = "http://127.0.0.1:" + std::to_string(upstream.port());
  const WatchdogProcess watchdog(
      shell("http", "test -p /dev/stdin && echo pipe; read x; echo ended", {{"upstream_url", url}}));
  ASSERT_TRUE(watchdog.wait_for_line("stdout: pipe")) << watchdog.log();
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "not for the pipe").body, "ok");
  EXPECT_EQ(watchdog.count_lines("stdout: ended"), 0U) << watchdog.log();
}

/// The function is ours to reach, whatever the image says about the way to the world.
TEST(contract_http, no_proxy_stands_before_the_function) {
  ByteServer upstream(behind_the_look({{read_request(), send(kOkAnswer)}}));
  ByteServer proxy({{read_request(), send("HTTP/1.1 500 Proxy\r\nContent-Length: 0\r\n\r\n")}});
  Variables variables;
  for (const char* name : {"HTTP_PROXY", "http_proxy", "ALL_PROXY"}) variables[name] = proxy.url();
  const WatchdogProcess watchdog(in_front_of(upstream, variables));
  EXPECT_EQ(request(watchdog.port(), "GET", "/").body, "ok") << watchdog.log();
  EXPECT_EQ(proxy.connections(), 0U);
}

TEST(contract_http, a_status_without_a_phrase_leaves_no_hole_in_its_line) {
  ByteServer upstream(
      behind_the_look({{read_request(), send("HTTP/1.1 299 Own Words\r\nContent-Length: 1\r\n\r\nx")}}));
  const WatchdogProcess watchdog(in_front_of(upstream));
  const HttpAnswer answer = request(watchdog.port(), "GET", "/words");
  EXPECT_EQ(answer.reason, "Own Words");
  EXPECT_TRUE(watchdog.wait_for_line("GET /words - 299 - ContentLength: 1B (")) << watchdog.log();
}

/// As the old one sent it with its own 500 and 504.
TEST(contract_http, an_answer_in_place_of_the_functions_says_how_long_it_took) {
  ByteServer upstream(behind_the_look({{read_request(), send("garbage\r\n\r\n")}, {read_request(), stall()}}));
  const WatchdogProcess watchdog(in_front_of(upstream, {{"exec_timeout", "300ms"}, {"max_inflight", "1"}}));
  for (const int status : {502, 504}) {
    const HttpAnswer answer = request(watchdog.port(), "POST", "/", "x");
    EXPECT_EQ(answer.status, status);
    const std::string duration = answer.header("X-Duration-Seconds").value_or("");
    EXPECT_EQ(duration.find('.') + 7, duration.size()) << answer.raw_head;
  }
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhal"));
  ASSERT_TRUE(wait_until([&] { return request(watchdog.port(), "GET", "/_/ready").status == 429; }));
  EXPECT_FALSE(request(watchdog.port(), "POST", "/", "x").header("X-Duration-Seconds")) << "it was never asked";
}

/// A line that blames the client would send somebody to look in the wrong place.
TEST(contract_log, an_answer_that_write_timeout_cuts_says_so) {
  const WatchdogProcess watchdog(shell("streaming", "echo begun; exec sleep 60", {{"write_timeout", "2s"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/cut", "x")));
  EXPECT_FALSE(client.find_answer()) << "it is cut";
  ASSERT_TRUE(watchdog.wait_for_line("POST /cut - 200 - ContentLength: 6B")) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("client has gone"), 0U) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("write_timeout"), 2U) << "the warning of the start, and the line\n" << watchdog.log();
}

/// The health check is its own program: it ends with its own lines, in their order.
TEST(contract_start, the_health_check_says_its_version_first) {
  WatchdogOptions options{.flags = {"-run-healthcheck"}, .expect_ready = false};
  WatchdogProcess watchdog(options);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 1) << watchdog.log();
  ASSERT_TRUE(watchdog.wait_for_line("unable to find lock file."));
  const auto lines = watchdog.lines();
  ASSERT_EQ(lines.size(), 2U) << watchdog.log();
  EXPECT_NE(lines[0].find(" Version: "), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1], "unable to find lock file.");
}

TEST(contract_start, a_port_that_is_taken_is_told_in_the_words_of_old) {
  const WatchdogProcess first(one_shot("streaming", {"cat"}));
  WatchdogOptions options = one_shot("streaming", {"cat"}, {{"port", std::to_string(first.port())}});
  options.expect_ready = false;
  WatchdogProcess second(options);
  EXPECT_EQ(second.wait_exit(milliseconds(10'000)), 71) << second.log();
  EXPECT_TRUE(second.wait_for_line("Error ListenAndServe: listen tcp :" + std::to_string(first.port()) +
                                   ": bind: address already in use"))
      << second.log();
}

TEST(contract_classic, debug_lines_are_those_of_old_in_their_order) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}, {{"write_debug", "true"}, {"debug_headers", "true"}}));
  (void)request(watchdog.port(), "POST", "/p?q", "x", {{"X-A", "1"}, {"X-A", "2"}, {"Content-Type", "x/y"}});
  ASSERT_TRUE(watchdog.wait_for_line("Duration: ")) << watchdog.log();
  ASSERT_TRUE(watchdog.wait_for_line("[out] X-Duration-Seconds=[")) << watchdog.log();
  const auto lines = watchdog.lines();
  const auto place = [&lines](const std::string& part) {
    return std::ranges::find_if(lines, [&part](const auto& line) { return line.find(part) != std::string::npos; });
  };
  EXPECT_LT(place("Forking fprocess."), place("Query  q")) << watchdog.log();
  EXPECT_LT(place("Query  q"), place("Path  /p")) << watchdog.log();
  EXPECT_LT(place("Path  /p"), place("Duration: ")) << watchdog.log();
  for (const char* line :
       {"[in] Content-Length=[1]", "[in] Content-Type=[x/y]", "[in] X-A=[1 2]", "[out] Content-Type=[x/y]"})
    EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line << "\n" << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("[in] Host"), 0U) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
