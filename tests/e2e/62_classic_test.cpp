// Classic mode beside the contract of classic-watchdog, row by row. Source: reference/watchdog-contract.md 2.

#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

TEST(classic, takes_five_methods_and_answers_405_to_others) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}));
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "GET"}) {
    const HttpAnswer answer = request(watchdog.port(), method, "/", "body");
    EXPECT_EQ(answer.status, 200) << method;
    EXPECT_EQ(answer.body, "body") << method;
  }
  for (const char* method : {"HEAD", "OPTIONS", "UPDATE", "TRACE"}) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(render_request(method, "/")));
    const auto answer = client.find_answer(true);
    ASSERT_TRUE(answer) << method;
    EXPECT_EQ(answer->status, 405) << method;
    EXPECT_EQ(answer->header("Content-Length"), "0") << method;
  }
}

TEST(classic, answers_with_content_type_or_the_clients_or_what_it_looks_like) {
  struct Case {
    Variables variables;
    Fields fields;
    const char* type;
  };
  for (const Case& each : {Case{{}, {{"Content-Type", "x/y"}}, "x/y"},
                           Case{{{"content_type", "a/b"}}, {{"Content-Type", "x/y"}}, "a/b"},
                           Case{{}, {}, "text/html; charset=utf-8"}}) {
    SCOPED_TRACE(each.type);
    const WatchdogProcess watchdog(one_shot("classic", {"cat"}, each.variables));
    const HttpAnswer answer = request(watchdog.port(), "POST", "/", "<html>", each.fields);
    EXPECT_EQ(answer.header("Content-Type"), each.type);
  }
}

TEST(classic, says_how_long_it_took_only_after_success) {
  const WatchdogProcess good(one_shot("classic", {"cat"}));
  const HttpAnswer answer = request(good.port(), "POST", "/", std::string(618, 'x'));
  const std::string duration = answer.header("X-Duration-Seconds").value_or("");
  EXPECT_EQ(duration.find('.') + 7, duration.size()) << duration;
  EXPECT_TRUE(good.wait_for_line("Forking fprocess."));
  EXPECT_TRUE(good.wait_for_line("Wrote 618 Bytes - Duration: " + duration + "s")) << good.log();
  const WatchdogProcess bad(shell("classic", "exit 2"));
  EXPECT_FALSE(request(bad.port(), "POST", "/", "x").header("X-Duration-Seconds"));
}

TEST(classic, puts_stderr_into_the_answer) {
  const WatchdogProcess good(shell("classic", "echo out; echo err >&2; echo out"));
  EXPECT_EQ(request(good.port(), "POST", "/", "x").body, "out\nerr\nout\n");
  const WatchdogProcess bad(shell("classic", "echo out; echo err >&2; exit 3"));
  expect_own_text(request(bad.port(), "POST", "/", "x"), 500, "exit status 3\nout\nerr\n");
}

TEST(classic, logs_stderr_as_one_block_where_it_is_not_combined) {
  const WatchdogProcess watchdog(
      shell("classic", "echo one >&2; echo two >&2; echo out; exit 3", {{"combine_output", "false"}}));
  expect_own_text(request(watchdog.port(), "POST", "/", "x"), 500, "exit status 3\nout\n");
  ASSERT_TRUE(watchdog.wait_for_line("two"));
  const auto lines = watchdog.lines();
  const auto first = std::ranges::find_if(lines, [](const auto& line) { return line.ends_with(" stderr: one"); });
  ASSERT_NE(first, lines.end()) << watchdog.log();
  EXPECT_EQ(*(first + 1), "two");
}

TEST(classic, keeps_no_more_of_stderr_than_fits) {
  const WatchdogProcess watchdog(
      shell("classic", "yes complaint | head -c 1000000 >&2; echo out", {{"combine_output", "false"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "out\n");
  EXPECT_TRUE(watchdog.wait_for_line("Wrote 4 Bytes"));
  EXPECT_GT(watchdog.count_lines("complaint"), 1000U);
  EXPECT_LT(watchdog.count_lines("complaint"), 8000U);
}

TEST(classic, marshals_a_request_as_json) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}, {{"marshal_request", "true"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "hello", {{"X-A", "1"}, {"X-A", "2"}}).body,
            R"({"header":{"Content-Length":["5"],"X-A":["1","2"]},"body":{"raw":"aGVsbG8="}})");
}

TEST(classic, gives_its_variables_unless_cgi_headers_is_false) {
  const std::string list = "env | grep ^Http_ | sort";
  const WatchdogProcess with(shell("classic", list));
  EXPECT_EQ(request(with.port(), "POST", "/a%20b?q=1", "hello", {{"X-A", "1"}, {"X-A", "2"}}).body,
            "Http_ContentLength=5\nHttp_Content_Length=5\nHttp_Host=127.0.0.1\nHttp_Method=POST\nHttp_Path=/a b\n"
            "Http_Query=q=1\nHttp_X_A=1\n");
  const WatchdogProcess without(shell("classic", list + " ; true", {{"cgi_headers", "false"}}));
  EXPECT_EQ(request(without.port(), "POST", "/a?q=1", "hello", {{"X-A", "1"}}).body, "");
}

TEST(classic, has_no_exec_timeout_of_its_own_accord) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}));
  EXPECT_TRUE(watchdog.wait_for_line(" hard: 0s")) << watchdog.log();
}

TEST(classic, write_debug_logs_what_goes_in_and_out) {
  const WatchdogProcess watchdog(shell("classic", "echo 'output line'; [ -z \"$Http_X_Fail\" ] || exit 4",
                                       {{"write_debug", "true"}}));
  const HttpAnswer answer = request(watchdog.port(), "POST", "/path?a=b", "x");
  EXPECT_EQ(answer.body, "output line\n");
  EXPECT_TRUE(watchdog.wait_for_line(" Query  a=b"));
  EXPECT_TRUE(watchdog.wait_for_line(" Path  /path"));
  EXPECT_TRUE(watchdog.wait_for_line("Duration: " + answer.header("X-Duration-Seconds").value_or("?") + "s"));
  EXPECT_TRUE(wait_until([&] {
    const auto lines = watchdog.lines();
    return std::ranges::find(lines, "output line") != lines.end();
  })) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("Wrote "), 0U);
  (void)request(watchdog.port(), "POST", "/", "x", {{"X-Fail", "1"}});
  EXPECT_TRUE(watchdog.wait_for_line("Success=false, Error=exit status 4"));
  EXPECT_TRUE(watchdog.wait_for_line("Out=output line"));
}

TEST(classic, debug_headers_logs_fields_both_ways) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}, {{"debug_headers", "true"}}));
  (void)request(watchdog.port(), "POST", "/", "x", {{"X-A", "1"}, {"x-a", "2"}, {"Content-Type", "x/y"}});
  EXPECT_TRUE(watchdog.wait_for_line("[in] X-A=[1 2]")) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("[out] Content-Type=[x/y]")) << watchdog.log();
}

TEST(classic, a_body_that_comes_too_slowly_is_answered_400) {
  const WatchdogProcess watchdog(one_shot("classic", {"cat"}, {{"read_timeout", "300ms"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  expect_own_text(*answer, 400, "the request did not arrive in time\n");
  EXPECT_EQ(watchdog.count_lines("Forking fprocess."), 0U);
}

TEST(serializing, says_how_long_it_took_also_after_a_failure) {
  const WatchdogProcess good(one_shot("serializing", {"cat"}));
  const HttpAnswer answer = request(good.port(), "POST", "/", "x", {{"Content-Type", "x/y"}});
  const std::string duration = answer.header("X-Duration-Seconds").value_or("");
  EXPECT_EQ(duration.find('.') + 7, duration.size()) << duration;
  EXPECT_EQ(answer.header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(answer.header("Content-Length"), "1");
  const WatchdogProcess bad(shell("serializing", "echo discarded; exit 2"));
  const HttpAnswer failure = request(bad.port(), "POST", "/", "x");
  expect_own_text(failure, 500, "exit status 2");
  EXPECT_TRUE(failure.header("X-Duration-Seconds"));
}

TEST(serializing, starts_nothing_before_the_body_is_there) {
  const WatchdogProcess watchdog(one_shot("serializing", {"cat"}, {{"body_memory", "1000"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n" + std::string(5000, 'a')));
  EXPECT_EQ(request(watchdog.port(), "GET", "/").status, 200);  // so the part has been read meanwhile
  EXPECT_TRUE(watchdog.children().empty());
  ASSERT_TRUE(client.send(std::string(5000, 'b')));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->body, std::string(5000, 'a') + std::string(5000, 'b'));
}

}  // namespace
}  // namespace fwd::test
