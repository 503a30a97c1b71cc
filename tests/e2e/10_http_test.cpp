// What clients of HTTP/1.1 and 1.0 may rely on: versions, keep-alive, pipelining, chunked uploads, Expect, HEAD.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

const std::string kSeedAnswer = "You said: Hello from python. That was so fast!";

std::string http_1_0(const std::string& target, const std::string& body, const std::string& fields = "") {
  return "POST " + target + " HTTP/1.0\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

TEST(http, a_1_0_client_gets_a_head_of_117_bytes_and_the_end) {
  WatchdogProcess watchdog(misbehave());
  ASSERT_EQ(kSeedAnswer.size(), 46U);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(http_1_0("/", kSeedAnswer)));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->raw_head.size(), 117U) << answer->raw_head;
  EXPECT_TRUE(answer->raw_head.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << answer->raw_head;
  EXPECT_EQ(answer->header("Content-Length"), "46");
  EXPECT_EQ(answer->header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer->headers.size(), 3U) << answer->raw_head;
  EXPECT_EQ(answer->body, kSeedAnswer);
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(http, a_1_0_client_that_asks_for_keep_alive_gets_it) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (const std::string body : {"first", "second", ""}) {
    ASSERT_TRUE(client.send(http_1_0("/", body, "Connection: Keep-Alive\r\n")));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->header("Connection"), "keep-alive") << answer->raw_head;
    EXPECT_EQ(answer->header("Content-Length"), std::to_string(body.size()));
    EXPECT_EQ(answer->body, body);
  }
  ASSERT_TRUE(client.send(http_1_0("/", "last")));
  const auto last = client.find_answer();
  ASSERT_TRUE(last) << client.last_error();
  EXPECT_FALSE(last->header("Connection")) << last->raw_head;
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(http, a_1_0_client_never_gets_chunks) {
  WatchdogProcess watchdog(misbehave());
  for (const std::string fields : {"", "Connection: keep-alive\r\n"}) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(http_1_0("/chunked", "0123456789", fields)));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_FALSE(answer->header("Transfer-Encoding")) << answer->raw_head;
    EXPECT_FALSE(answer->header("Connection")) << answer->raw_head;  // only the end tells where the body ends
    EXPECT_EQ(answer->body, "0123456789");
  }
}

TEST(http, a_1_1_client_gets_chunks_where_the_length_is_unknown) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (const std::string body : {"0123456789", "", "again"}) {
    const auto answer = client.ask("POST", "/chunked", body);
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->header("Transfer-Encoding"), "chunked") << answer->raw_head;
    EXPECT_FALSE(answer->header("Content-Length")) << answer->raw_head;
    EXPECT_EQ(answer->body, body);
  }
}

TEST(http, a_connection_serves_request_after_request_until_close_is_asked_for) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (int round = 0; round < 50; ++round) {
    const auto answer = client.ask("POST", "/", "round " + std::to_string(round));
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "round " + std::to_string(round));
    EXPECT_FALSE(answer->header("Connection")) << answer->raw_head;
  }
  const auto last = client.ask("POST", "/", "last", {{"Connection", "x, Close"}});
  ASSERT_TRUE(last) << client.last_error();
  EXPECT_EQ(last->header("Connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(http, a_close_on_the_second_connection_line_counts) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  const auto answer = client.ask("POST", "/", "x", {{"Connection", "keep-alive"}, {"Connection", "close"}});
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->header("Connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
}

/// A hundred requests of all kinds, and what each must be answered.
std::string pipelined_requests(std::vector<std::string>& bodies) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    const std::string body = i % 5 == 4 ? std::string(9'000, 'p') + std::to_string(i) : "body " + std::to_string(i);
    bodies.push_back(body);
    if (i % 3 != 2) {
      bytes += render_request("POST", i % 2 == 0 ? "/echo" : "/chunked", body);
      continue;
    }
    bytes += "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n" + body.substr(0, 1);
    bytes += "\r\n";
    char size[16];
    std::snprintf(size, sizeof size, "%zx", body.size() - 1);
    bytes += std::string(size) + ";x=y\r\n" + body.substr(1) + "\r\n0\r\nX-Trailer: 1\r\n\r\n";
  }
  return bytes;
}

void expect_answered_in_order(HttpClient& client, const std::vector<std::string>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << i << ": " << client.last_error();
    ASSERT_EQ(answer->status, 200) << i;
    ASSERT_TRUE(answer->body == bodies[i]) << i << ": " << answer->body.substr(0, 50);
  }
}

TEST(http, a_hundred_pipelined_requests_are_answered_in_order) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", "3"}}));
  std::vector<std::string> bodies;
  const std::string bytes = pipelined_requests(bodies);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(bytes));
  expect_answered_in_order(client, bodies);
  client.shut_down_sending();
  EXPECT_TRUE(client.closed_by_peer()) << "nothing more was answered";
}

TEST(http, however_the_bytes_are_cut_the_answers_are_the_same) {
  WatchdogProcess watchdog(misbehave());
  for (const std::size_t piece : {1U, 7U, 1021U}) {
    std::vector<std::string> bodies;
    std::string bytes = pipelined_requests(bodies);
    HttpClient client(watchdog.port());
    if (piece == 1) {  // byte by byte costs a segment each: some of all kinds will do
      bodies.resize(4);
      bytes.resize(bytes.find("body 5") - 80);
      bytes.resize(bytes.rfind("POST "));
    }
    for (std::size_t at = 0; at < bytes.size(); at += piece) ASSERT_TRUE(client.send(bytes.substr(at, piece)));
    expect_answered_in_order(client, bodies);
  }
}

TEST(http, empty_lines_before_a_request_are_dropped) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(client.send("\r\n\r\n" + render_request("POST", "/", "after empty lines")));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "after empty lines");
  }
}

TEST(http, forms_of_target_and_version_that_are_seldom_seen_are_taken) {
  struct Case {
    const char* line;
    const char* seen_by_function;
  };
  const Case cases[] = {
      {"GET http://other.example/echo-head?a=b HTTP/1.1", "GET /echo-head?a=b HTTP/1.1\r\nHost: other.example\r\n"},
      {"GET /echo-head HTTP/1.2", "GET /echo-head HTTP/1.1\r\nHost: h\r\n"},
      {"LIST /echo-head?%41#x HTTP/1.1", "LIST /echo-head?%41#x HTTP/1.1\r\nHost: h\r\n"},
  };
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (const Case& each : cases) {
    ASSERT_TRUE(client.send(std::string(each.line) + "\r\nHost: \t h \t\r\n\r\n"));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << each.line << ": " << client.last_error();
    EXPECT_TRUE(answer->body.starts_with(each.seen_by_function)) << each.line << "\n" << answer->body;
  }
  ASSERT_TRUE(client.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(client.find_answer()) << client.last_error();
}

TEST(http, a_client_that_expects_100_gets_it_only_while_its_body_is_due) {
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n";
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(head + "Transfer-Encoding: chunked\r\n\r\n"));
  const auto interim = client.find_answer();
  ASSERT_TRUE(interim) << client.last_error();
  EXPECT_EQ(interim->raw_head, "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send("5\r\nfirst\r\n0\r\n\r\n"));
  const auto first = client.find_answer();
  ASSERT_TRUE(first) << client.last_error();
  EXPECT_EQ(first->body, "first");
  for (const std::string rest : {"Content-Length: 4\r\n\r\nsent", "Content-Length: 0\r\n\r\n"}) {
    ASSERT_TRUE(client.send(head + rest));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200) << "no 100 for a body that is there: " << rest;
  }
  HttpClient old(watchdog.port());
  ASSERT_TRUE(old.send("POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
  ASSERT_TRUE(old.send("old"));
  const auto answer = old.find_answer();
  ASSERT_TRUE(answer) << old.last_error();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "old");
}

TEST(http, an_unknown_expectation_is_answered_417_and_the_connection_ends) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/log", "seen", {{"Expect", "200-maybe"}})));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  expect_own_error(*answer, 417);
  EXPECT_EQ(answer->header("Connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.count_lines("log seen"), 0U);
}

TEST(http, head_gets_the_head_of_get_and_the_connection_goes_on) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  HttpClient client(watchdog.port());
  for (const std::size_t size : {0U, 100U, 1'000'000U}) {
    const auto answer = client.ask("HEAD", "/big?n=" + std::to_string(size));
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->header("Content-Length"), std::to_string(size));
    const auto next = client.ask("POST", "/echo", "behind the head");
    ASSERT_TRUE(next) << client.last_error();
    EXPECT_EQ(next->body, "behind the head");
  }
  expect_kept(watchdog, before);
}

TEST(http, answers_without_body_leave_nothing_on_the_connection) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  for (const std::string verb : {"/204-with-body", "/304-with-body"}) {
    const auto answer = client.ask("POST", verb, "a body that nobody gets");
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, std::stoi(verb.substr(1)));
    EXPECT_FALSE(answer->header("Content-Type")) << answer->raw_head;
    EXPECT_FALSE(answer->header("Transfer-Encoding")) << answer->raw_head;
    const auto next = client.ask("POST", "/echo", "next");
    ASSERT_TRUE(next) << client.last_error();
    EXPECT_EQ(next->body, "next");
  }
}

}  // namespace
}  // namespace fwd::test
