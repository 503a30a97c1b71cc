// A CGI program that people use behind the modes that start one process for each request.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/programs.hpp"

namespace fwd::test {
namespace {

class php_cgi : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_program("php-cgi")) GTEST_SKIP() << "no php-cgi on this machine";
  }

  static WatchdogOptions options(const std::string& script = "echo.php") {
    return {.function = {"php-cgi"},
            .environment = {{"mode", GetParam()},
                            {"cgi_vars", "rfc3875"},
                            {"cgi_response", "true"},
                            {"SCRIPT_FILENAME", SOURCE_DIR "/tests/programs/servers/" + script}}};
  }
};

INSTANTIATE_TEST_SUITE_P(e2e, php_cgi, testing::Values("streaming", "serializing"),
                         [](const auto& instance) { return instance.param; });

bool has_line(const HttpAnswer& answer, const std::string& line) {
  return ("\n" + answer.body).find("\n" + line + "\n") != std::string::npos;
}

TEST_P(php_cgi, the_script_knows_the_request) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer answer = request(watchdog.port(), "GET", "/a%20b/c?x=1%202&q", {},
                                    {{"X-Twice", "one"},
                                     {"x-twice", "two"},
                                     {"Cookie", "y=0"},
                                     {"Cookie", "z=3"},
                                     {"Authorization", "Basic secret"},
                                     {"Proxy", "evil"}});
  ASSERT_EQ(answer.status, 200) << answer.body << watchdog.log();
  for (const std::string& line :
       {std::string("REQUEST_METHOD=GET"), std::string("PATH_INFO=/a b/c"), std::string("QUERY_STRING=x=1%202&q"),
        std::string("REQUEST_URI=/a%20b/c?x=1%202&q"), std::string("SERVER_PROTOCOL=HTTP/1.1"),
        "SERVER_PORT=" + std::to_string(watchdog.port()), std::string("REMOTE_ADDR=127.0.0.1"),
        std::string("CONTENT_TYPE=(none)"), std::string("CONTENT_LENGTH=(none)"), std::string("HTTP_X_TWICE=one, two"),
        std::string("HTTP_AUTHORIZATION=(none)"), std::string("HTTP_PROXY=(none)"), std::string("query x=1 2"),
        std::string("cookie z=3")}) {
    EXPECT_TRUE(has_line(answer, line)) << line << " is missing in\n" << answer.body;
  }
}

TEST_P(php_cgi, status_and_fields_are_the_scripts) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer ok = request(watchdog.port(), "GET", "/");
  EXPECT_EQ(ok.status, 200);
  EXPECT_EQ(ok.header("Content-Type"), "text/x-test; charset=utf-8") << ok.raw_head;
  EXPECT_EQ(ok.all("Content-Type").size(), 1U) << ok.raw_head;
  EXPECT_EQ(ok.header("X-Made"), "by php");
  EXPECT_EQ(ok.all("Set-Cookie"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_FALSE(ok.header("Status")) << ok.raw_head;
  for (const int status : {201, 404, 503}) {
    const HttpAnswer answer = request(watchdog.port(), "GET", "/status/" + std::to_string(status));
    EXPECT_EQ(answer.status, status) << answer.raw_head;
    EXPECT_TRUE(has_line(answer, "PATH_INFO=/status/" + std::to_string(status))) << answer.body;
  }
  const HttpAnswer redirect = request(watchdog.port(), "GET", "/redirect");
  EXPECT_EQ(redirect.status, 302);
  EXPECT_EQ(redirect.header("Location"), "http://example.com/elsewhere");
}

TEST_P(php_cgi, the_body_is_the_scripts_input) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer form = post(watchdog, "/", "y=some%20text", {{"Content-Type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(form.status, 200);
  EXPECT_TRUE(has_line(form, "form y=some text")) << form.body;
  EXPECT_TRUE(has_line(form, "CONTENT_LENGTH=13")) << form.body;
  EXPECT_TRUE(form.body.ends_with("\ny=some%20text")) << form.body;

  const std::string large(1'000'000, 'x');
  const HttpAnswer echo = post(watchdog, "/", large, {{"Content-Type", "application/octet-stream"}});
  EXPECT_EQ(echo.status, 200);
  EXPECT_TRUE(echo.body.ends_with("\n" + large)) << echo.body.size();
}

/// CGI knows no chunks: the script must have a length.
TEST_P(php_cgi, a_chunked_body_has_a_length_by_then) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5\r\nfirst\r\n7\r\n second\r\n0\r\n\r\n"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
  EXPECT_TRUE(has_line(*answer, "CONTENT_LENGTH=12")) << answer->body;
  EXPECT_TRUE(answer->body.ends_with("\nfirst second")) << answer->body;
}

TEST_P(php_cgi, a_large_answer_comes_whole_and_connections_go_on) {
  const WatchdogProcess watchdog(options());
  std::string expected;
  for (int i = 0; i < 64; ++i) expected += std::string(16384, static_cast<char>('A' + i % 26));
  HttpClient client(watchdog.port());
  for (int round = 0; round < 2; ++round) {
    const auto answer = client.ask("GET", "/large");
    ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
    EXPECT_TRUE(answer->body == expected) << answer->body.size();
  }
}

TEST_P(php_cgi, head_has_the_scripts_fields_and_no_body) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("HEAD /status/404 HTTP/1.1\r\nHost: a\r\n\r\n"));
  const auto head = client.find_answer(true);
  ASSERT_TRUE(head) << client.last_error() << watchdog.log();
  EXPECT_EQ(head->status, 404);
  EXPECT_EQ(head->header("X-Made"), "by php") << head->raw_head;
  const auto next = client.ask("GET", "/");
  ASSERT_TRUE(next) << client.last_error() << watchdog.log();
  EXPECT_TRUE(has_line(*next, "REQUEST_METHOD=GET")) << next->body;
}

/// php-cgi says 404, and then exits with 255. In streaming the client has got the head by then, or it has not.
TEST_P(php_cgi, a_script_that_is_missing_is_no_success) {
  const WatchdogProcess watchdog(options("missing.php"));
  const HttpAnswer answer = request(watchdog.port(), "GET", "/");
  EXPECT_NE(answer.status, 200) << answer.body;
  EXPECT_TRUE(watchdog.wait_for_line("exit status 255")) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
