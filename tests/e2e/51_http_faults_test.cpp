// mode=http: upstreams, children and clients that fail.

#include <csignal>
#include <gtest/gtest.h>

#include "tests/e2e/http_function.hpp"

namespace fwd::test {
namespace {

TEST(http_faults, an_upstream_that_gives_no_answer_is_answered_502) {
  struct Case {
    const char* what;
    Script script;
  };
  const Case cases[] = {
      {"closed", {read_request()}},
      {"reset", {read_request(), reset()}},
      {"half a head", {read_request(), send("HTTP/1.1 200 OK\r\nContent-Le")}},
      {"no HTTP", {read_request(), send("SSH-2.0-OpenSSH_9.2\r\n\r\n")}},
      {"two lengths", {read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok")}},
      {"length and coding",
       {read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok")}},
      {"unasked 101", {read_request(), send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), stall()}},
      {"endless head", {read_request(), send("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x')), stall()}},
      {"a bad chunk", {read_request(), send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), stall()}},
      {"status 600", {read_request(), send("HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n")}},
  };
  for (const Case& each : cases) {
    ByteServer upstream(behind_the_look({each.script}));
    const WatchdogProcess watchdog(in_front_of(upstream));
    SCOPED_TRACE(each.what);
    expect_own_answer(request(watchdog.port(), "POST", "/", "x"), 502);
    EXPECT_EQ(upstream.requests().size(), 1U);
  }
}

TEST(http_faults, an_answer_that_breaks_off_is_cut_for_the_client) {
  for (const char* begun : {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"}) {
    ByteServer upstream(behind_the_look({{read_request(), send(begun), read_request()}}));
    const WatchdogProcess watchdog(in_front_of(upstream, {{"upstream_timeout", "idle=200ms"}}));
    EXPECT_FALSE(try_request(watchdog.port(), "GET", "/")) << begun;
  }
}

TEST(http_faults, nobody_listens_any_more) {
  auto upstream = std::make_unique<ByteServer>(behind_the_look({{read_request(), send(kOkAnswer)}}));
  const WatchdogProcess watchdog(in_front_of(*upstream, {{"max_queue_wait", "200ms"}}));
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200);
  upstream.reset();
  expect_own_answer(request(watchdog.port(), "GET", "/"), 502);
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 503);
  expect_own_answer(request(watchdog.port(), "GET", "/"), 503);
}

TEST(http_faults, a_function_that_takes_too_long_is_answered_504_and_lives_on) {
  const WatchdogProcess watchdog(http_function({{"exec_timeout", "300ms"}}));
  const auto before = watchdog.children();
  const HttpAnswer answer = request(watchdog.port(), "POST", "/hang", "x");
  expect_own_answer(answer, 504);
  EXPECT_TRUE(watchdog.wait_for_line("the watchdog hung up")) << watchdog.log();
  EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "next").body, "next");
  EXPECT_EQ(watchdog.children(), before);
}

TEST(http_faults, each_phase_has_its_limit) {
  const std::string half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  {
    ByteServer upstream(behind_the_look({{read_request(), stall()}}));
    const WatchdogProcess watchdog(in_front_of(upstream, {{"upstream_timeout", "first_byte=100ms"}}));
    expect_own_answer(request(watchdog.port(), "GET", "/"), 504);
  }
  for (const char* limit : {"idle=100ms", "total=200ms"}) {
    ByteServer upstream(behind_the_look({{read_request(), send(half), stall()}}));
    const WatchdogProcess watchdog(in_front_of(upstream, {{"upstream_timeout", limit}}));
    EXPECT_FALSE(try_request(watchdog.port(), "GET", "/")) << limit;
  }
}

TEST(http_faults, x_timeout_shortens_the_wait) {
  const WatchdogProcess watchdog(http_function());
  expect_own_answer(request(watchdog.port(), "GET", "/hang", {}, {{"X-Timeout", "100ms"}}), 504);
  EXPECT_TRUE(watchdog.wait_for_line("the watchdog hung up")) << watchdog.log();
}

TEST(http_faults, a_slow_upload_does_not_hold_a_504_back) {
  const WatchdogProcess watchdog(http_function({{"exec_timeout", "300ms"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /hang HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nbegun"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  expect_own_answer(*answer, 504);
}

TEST(http_faults, a_client_that_leaves_ends_its_request_at_the_function) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/hang", "x")));
  ASSERT_TRUE(watchdog.wait_for_line("hanging"));
  client.reset();
  EXPECT_TRUE(watchdog.wait_for_line("the watchdog hung up")) << watchdog.log();
}

TEST(http_faults, a_client_that_leaves_in_mid_upload_ends_its_request_too) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /hang HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nbegun"));
  ASSERT_TRUE(watchdog.wait_for_line("hanging"));
  client.reset();
  EXPECT_TRUE(watchdog.wait_for_line("the watchdog hung up")) << watchdog.log();
}

TEST(http_faults, a_client_that_leaves_is_not_heard_where_it_is_not_to_be) {
  const WatchdogProcess watchdog(http_function({{"cancel_on_disconnect", "false"}, {"exec_timeout", "20s"}}));
  const std::string gate = path_in(watchdog, "gate");
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/hold?" + gate)));
  ASSERT_TRUE(watchdog.wait_for_line("holding"));
  client.reset();
  EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "x").body, "x");
  touch(gate);
  EXPECT_TRUE(watchdog.wait_for_line("GET /hold")) << watchdog.log();
}

TEST(http_faults, a_stale_connection_is_replaced_unless_that_would_ask_twice) {
  // The second connection answers once, reads the next request and closes without a byte of an answer.
  const Script answers_once = {read_request(), send(kOkAnswer), read_request()};
  {
    ByteServer upstream(behind_the_look({answers_once, {read_request(), send(kOkAnswer)}}));
    const WatchdogProcess watchdog(in_front_of(upstream));
    EXPECT_EQ(request(watchdog.port(), "GET", "/one").body, "ok");
    EXPECT_EQ(request(watchdog.port(), "GET", "/two").body, "ok") << watchdog.log();
    EXPECT_EQ(upstream.requests().size(), 3U);
  }
  {
    ByteServer upstream(behind_the_look({answers_once, {read_request(), send(kOkAnswer)}}));
    const WatchdogProcess watchdog(in_front_of(upstream));
    EXPECT_EQ(request(watchdog.port(), "POST", "/one", "x").body, "ok");
    expect_own_answer(request(watchdog.port(), "POST", "/two", "x"), 502);
    EXPECT_EQ(upstream.requests().size(), 2U) << "a POST was sent twice";
  }
}

TEST(http_faults, a_client_may_vouch_for_a_repetition_if_none_of_its_body_is_lost) {
  const Script answers_once = {read_request(), send(kOkAnswer), read_request()};
  const Fields key = {{"Idempotency-Key", "1"}};
  ByteServer upstream(behind_the_look({answers_once, {read_request(), send(kOkAnswer)}}));
  const WatchdogProcess watchdog(in_front_of(upstream));
  EXPECT_EQ(request(watchdog.port(), "POST", "/one", {}, key).body, "ok");
  EXPECT_EQ(request(watchdog.port(), "POST", "/two", {}, key).body, "ok") << watchdog.log();
  EXPECT_EQ(upstream.requests().size(), 3U);
  ByteServer other(behind_the_look({answers_once, {read_request(), send(kOkAnswer)}}));
  const WatchdogProcess with_body(in_front_of(other));
  EXPECT_EQ(request(with_body.port(), "POST", "/one", "x", key).body, "ok");
  expect_own_answer(request(with_body.port(), "POST", "/two", "x", key), 502);
  EXPECT_EQ(other.requests().size(), 2U);
}

TEST(http_faults, a_connection_that_was_closed_while_idle_costs_nobody_a_request) {
  const WatchdogProcess watchdog(http_function());
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string gate = path_in(watchdog, "gate" + std::to_string(i));
    EXPECT_EQ(request(watchdog.port(), "POST", "/closes?" + gate, "first").body, "first");
    touch(gate);
    ASSERT_TRUE(wait_until([&watchdog, i] { return watchdog.count_lines("closed") == i + 1; })) << watchdog.log();
    EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "second").body, "second") << watchdog.log();
  }
}

TEST(http_faults, what_follows_an_answer_is_nobodys) {
  const std::string twice = std::string(kOkAnswer) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
  ByteServer upstream(behind_the_look({{read_request(), send(twice), stall()}, {read_request(), send(kOkAnswer)}}));
  const WatchdogProcess watchdog(in_front_of(upstream));
  HttpClient client(watchdog.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ask("GET", "/");
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "ok");
  }
}

TEST(http_faults, a_child_that_ends_costs_one_502_and_is_started_again) {
  for (const char* verb : {"/exit?3", "/exit?0", "/kill"}) {
    const WatchdogProcess watchdog(http_function());
    const auto before = watchdog.children();
    expect_own_answer(request(watchdog.port(), "POST", verb, ""), 502);
    EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "next").body, "next") << verb << watchdog.log();
    const std::string said = *(verb + 1) == 'k' ? "signal: killed" : std::string("exit status ") + verb[6];
    EXPECT_TRUE(watchdog.wait_for_line("Forked function has terminated: " + said)) << watchdog.log();
    EXPECT_NE(watchdog.children(), before);
  }
}

TEST(http_faults, a_child_that_dies_in_mid_answer_cuts_it) {
  const WatchdogProcess watchdog(http_function());
  const std::string gate = path_in(watchdog, "gate");
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/midway?" + gate)));
  std::string came;
  while (!came.ends_with("half")) {
    const std::string byte = client.read_bytes(1);
    ASSERT_FALSE(byte.empty()) << came;
    came += byte;
  }
  touch(gate);
  EXPECT_EQ(client.read_bytes(1), "") << "the answer goes on";
  EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "next").body, "next") << watchdog.log();
}

TEST(http_faults, the_watchdog_may_end_with_its_child) {
  struct Case {
    const char* verb;
    int code;
  };
  for (const Case& each : {Case{"/exit?7", 7}, Case{"/exit?0", 0}, Case{"/kill", 137}}) {
    WatchdogProcess watchdog(http_function({{"on_function_exit", "exit"}, {"healthcheck_interval", "0"}}));
    (void)try_request(watchdog.port(), "POST", each.verb);
    EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), each.code) << watchdog.log();
  }
}

}  // namespace
}  // namespace fwd::test
