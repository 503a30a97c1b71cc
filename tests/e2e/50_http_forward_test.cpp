// mode=http: what goes to the function, and what comes back.

#include <gtest/gtest.h>

#include "tests/e2e/http_function.hpp"

namespace fwd::test {
namespace {

/// What http_function.py saw of a request, with the port of the watchdog taken out.
std::string seen(const WatchdogProcess& watchdog, std::string_view bytes) {
  HttpClient client(watchdog.port());
  EXPECT_TRUE(client.send(bytes));
  const auto answer = client.find_answer();
  EXPECT_TRUE(answer) << client.last_error() << "\n" << watchdog.log();
  return answer ? answer->body : "";
}

TEST(http_forward, a_request_goes_on_as_it_came) {
  const WatchdogProcess watchdog(http_function());
  EXPECT_EQ(seen(watchdog, "GET /seen?a=%2F&b HTTP/1.1\r\nhost: some.where:1\r\nx-lOw: 1\r\nX_Under: 2\r\nX-Two: a\r\nX-Two: b\r\n\r\n"),
            "GET /seen?a=%2F&b HTTP/1.1\r\nHost: some.where:1\r\nx-lOw: 1\r\nX_Under: 2\r\nX-Two: a\r\nX-Two: b\r\n"
            "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: some.where:1\r\nX-Forwarded-Proto: http\r\n\r\n");
}

TEST(http_forward, the_length_of_a_body_is_exact) {
  const WatchdogProcess watchdog(http_function());
  const std::string forwarded = "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: h\r\nX-Forwarded-Proto: http\r\n";
  EXPECT_EQ(seen(watchdog, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
            "POST / HTTP/1.1\r\nHost: h\r\n" + forwarded + "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(seen(watchdog, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: h\r\n" + forwarded + "Content-Length: 0\r\n\r\n");
  const std::string large(3'000'000, 'l');
  const std::string came = seen(watchdog, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n" + large);
  EXPECT_TRUE(came == "PUT / HTTP/1.1\r\nHost: h\r\n" + forwarded + "Content-Length: 3000000\r\n\r\n" + large)
      << came.substr(0, 200);
}

TEST(http_forward, chunks_stay_chunks_unless_they_are_to_be_read_before) {
  const std::string request = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-T: 1\r\n\r\n";
  const std::string forwarded = "POST / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: h\r\nX-Forwarded-Proto: http\r\n";
  const WatchdogProcess streaming(http_function());
  EXPECT_EQ(seen(streaming, request), forwarded + "Transfer-Encoding: chunked\r\n\r\nabcde");
  const WatchdogProcess buffering(http_function({{"http_buffer_req_body", "true"}}));
  EXPECT_EQ(seen(buffering, request), forwarded + "Content-Length: 5\r\n\r\nabcde");
}

TEST(http_forward, what_concerns_one_hop_ends_there) {
  const WatchdogProcess watchdog(http_function());
  const std::string came = seen(watchdog,
                                "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
                                "TE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: x\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n");
  EXPECT_EQ(came,
            "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 1.2.3.4, 127.0.0.1\r\nX-Forwarded-Host: h\r\n"
            "X-Forwarded-Proto: http\r\n\r\n");
}

TEST(http_forward, targets_go_on_raw_behind_the_prefix) {
  ByteServer upstream(behind_the_look({{read_request(), send(kOkAnswer), read_request(), send(kOkAnswer), read_request(),
                                        send(kOkAnswer)}}));
  const WatchdogProcess watchdog(in_front_of(upstream, {{"upstream_url", "/v1/"}}));
  HttpClient client(watchdog.port());
  for (const char* target : {"//a/../b//%2e?x#y", "http://h/abs?q", "/"}) {
    const auto answer = client.ask("GET", target);
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "ok") << watchdog.log();
  }
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_TRUE(requests[0].starts_with("GET /v1//a/../b//%2e?x#y HTTP/1.1\r\n")) << requests[0];
  EXPECT_TRUE(requests[1].starts_with("GET /v1/abs?q HTTP/1.1\r\n")) << requests[1];
  EXPECT_TRUE(requests[2].starts_with("GET /v1/ HTTP/1.1\r\n")) << requests[2];
}

TEST(http_forward, an_expectation_is_met_by_the_watchdog) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
  const auto go_on = client.find_answer();
  ASSERT_TRUE(go_on) << client.last_error();
  EXPECT_EQ(go_on->status, 100);
  ASSERT_TRUE(client.send("ok"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->body, "ok");
}

TEST(http_forward, status_reason_and_fields_come_back_but_not_those_of_one_hop) {
  const WatchdogProcess watchdog(http_function());
  const HttpAnswer answer = request(watchdog.port(), "GET", "/fields");
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.reason, "Over There");
  EXPECT_EQ(answer.header("Location"), "/elsewhere");
  EXPECT_EQ(answer.all("X-One"), (std::vector<std::string>{"1", "2"}));
  for (const char* name : {"Keep-Alive", "X-Hop", "Upgrade", "Proxy-Authenticate", "Connection"})
    EXPECT_FALSE(answer.header(name)) << name << "\n" << answer.raw_head;
  ASSERT_EQ(answer.all("X-Duration-Seconds").size(), 1U) << answer.raw_head;
  EXPECT_NE(answer.header("X-Duration-Seconds"), "77");
}

TEST(http_forward, trailers_are_dropped_and_head_has_no_body) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  const auto trailing = client.ask("GET", "/trailers");
  ASSERT_TRUE(trailing) << client.last_error();
  EXPECT_EQ(trailing->body, "abc");
  const char* to_head = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX-A: 1\r\n\r\n";
  ByteServer upstream(behind_the_look({{read_request(), send(to_head), stall()}, {read_request(), send(kOkAnswer)}}));
  const WatchdogProcess heads(in_front_of(upstream));
  HttpClient asks(heads.port());
  ASSERT_TRUE(asks.send(render_request("HEAD", "/h")));
  const auto head = asks.find_answer(true);
  ASSERT_TRUE(head) << asks.last_error();
  EXPECT_EQ(head->header("Content-Length"), "11");
  EXPECT_EQ(head->header("X-A"), "1");
  const auto next = asks.ask("GET", "/g");
  ASSERT_TRUE(next) << asks.last_error();
  EXPECT_EQ(next->body, "ok");
  ASSERT_EQ(upstream.requests().size(), 2U);
  EXPECT_TRUE(upstream.requests()[0].starts_with("HEAD /h HTTP/1.1\r\n")) << upstream.requests()[0];
}

TEST(http_forward, early_hints_reach_the_client_and_100_does_not) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/hints")));
  const auto hints = client.find_answer();
  ASSERT_TRUE(hints) << client.last_error();
  EXPECT_EQ(hints->status, 103);
  EXPECT_EQ(hints->header("Link"), "</s>");
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->body, "hinted");
}

TEST(http_forward, an_answer_without_length_ends_with_its_connection) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ask("GET", "/until-eof");
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "no length");
    EXPECT_EQ(answer->header("Transfer-Encoding"), "chunked");
  }
}

TEST(http_forward, every_piece_is_passed_on_before_the_next_is_there) {
  const WatchdogProcess watchdog(http_function());
  const std::string gate = path_in(watchdog, "gate");
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/sse?" + gate)));
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string byte = client.read_bytes(1);
    ASSERT_EQ(byte.size(), 1U) << "the head comes alone: " << head << client.last_error();
    head += byte;
  }
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n")) << head;
  for (const char* number : {"1", "2", "3"}) {
    touch(gate + number);
    const std::string expected = "9\r\ndata: " + std::string(number) + "\n\n\r\n";
    ASSERT_EQ(client.read_bytes(expected.size()), expected);
  }
  touch(gate + "4");
  EXPECT_EQ(client.read_bytes(5), "0\r\n\r\n");
}

TEST(http_forward, both_directions_flow_at_the_same_time) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /both-ways HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"));
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string byte = client.read_bytes(1);
    ASSERT_EQ(byte.size(), 1U) << head << client.last_error();
    head += byte;
  }
  for (const char* chunk : {"3\r\none\r\n", "3\r\ntwo\r\n"}) {
    ASSERT_TRUE(client.send(chunk));
    ASSERT_EQ(client.read_bytes(8), chunk);
  }
  ASSERT_TRUE(client.send("0\r\n\r\n"));
  EXPECT_EQ(client.read_bytes(5), "0\r\n\r\n");
}

TEST(http_forward, a_function_may_answer_before_it_has_the_body) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nonly this"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
  EXPECT_EQ(answer->status, 413);
  EXPECT_EQ(answer->body, "enough");
  EXPECT_EQ(answer->header("Connection"), "close");
  EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "next").body, "next");
}

}  // namespace
}  // namespace fwd::test
