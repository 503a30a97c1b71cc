// The fragilities of the old runner on the way to the function; the reference's number is in each name.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

TEST(fragility, n01_head_and_body_reach_the_function_in_one_read) {
  WatchdogProcess watchdog(old_function("node " + compat_script("old_node.js")));
  const auto before = watchdog.children();
  const Fields gateway = {{"X-Forwarded-For", "10.0.0.1"}, {"X-Call-Id", std::string(36, 'c')}, {"Accept", "*/*"}};
  for (const std::size_t size : {0, 1, 5, 50, 146, 4000, 65400, 65443, 65500, 65536, 131000, 131072, 262144, 1000000}) {
    for (int round = 0; round < 5; ++round) {
      std::string body(size, static_cast<char>('a' + round));
      const HttpAnswer answer = post(watchdog, "/", body, gateway);
      ASSERT_EQ(answer.status, 200) << size << "\n" << watchdog.log();
      ASSERT_TRUE(answer.body == body) << size;
    }
  }
  expect_kept(watchdog, before);
}

TEST(fragility, n02_an_aborted_upload_never_reaches_the_function) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const std::string head = "POST /log HTTP/1.1\r\nHost: h\r\n";
  for (const std::string& upload :
       {head + "Content-Length: 1000\r\n\r\naborted", head + "Transfer-Encoding: chunked\r\n\r\n7\r\naborted\r\n"}) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(upload));
    client.reset();
    HttpClient closing(watchdog.port());
    ASSERT_TRUE(closing.send(upload));
    closing.shut_down_sending();
    (void)closing.read_to_end();
  }
  expect_echo(watchdog);
  expect_kept(watchdog, before);
  EXPECT_EQ(watchdog.count_lines("log aborted"), 0U) << watchdog.log();
}

TEST(fragility, n03_requests_have_an_exact_length_and_canonical_names) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(
      "POST /echo-head?x=%20 HTTP/1.1\r\nhost: fn.example\r\ntransfer-encoding: chunked\r\nx-custom-name: a\r\n"
      "connection: keep-alive, x-hop\r\nx-hop: 1\r\nkeep-alive: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  const std::string& head = answer->body;
  EXPECT_EQ(head.find("POST /echo-head?x=%20 HTTP/1.1\r\n"), 0U) << head;
  for (const char* line : {"\r\nHost: fn.example\r\n", "\r\nContent-Length: 5\r\n", "\r\nX-Custom-Name: a\r\n"}) {
    EXPECT_NE(head.find(line), std::string::npos) << line << head;
  }
  for (const char* name : {"Transfer-Encoding", "X-Hop", "Keep-Alive", "transfer-encoding"}) {
    EXPECT_EQ(head.find(name), std::string::npos) << name << head;
  }
}

TEST(fragility, n03_a_request_without_body_has_a_length_of_zero) {
  WatchdogProcess watchdog(misbehave());
  for (const char* method : {"GET", "DELETE", "POST", "PUT", "PATCH", "OPTIONS"}) {
    const std::string head = request(watchdog.port(), method, "/echo-head").body;
    EXPECT_EQ(head.find(std::string(method) + " /echo-head HTTP/1.1\r\n"), 0U) << head;
    EXPECT_NE(head.find("\r\nContent-Length: 0\r\n"), std::string::npos) << head;
  }
}

TEST(fragility, n03_expect_is_answered_by_the_watchdog) {
  WatchdogProcess watchdog(misbehave());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST /echo-head HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
  const auto interim = client.find_answer();
  ASSERT_TRUE(interim) << client.last_error();
  EXPECT_EQ(interim->status, 100);
  ASSERT_TRUE(client.send("hello"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body.find("Expect"), std::string::npos) << answer->body;
}

TEST(fragility, n03_get_and_chunked_kill_no_old_function) {
  const Variables utf16 = {{"afterburn_units", "utf16"}};
  for (const WatchdogOptions& options :
       {old_function("node " + compat_script("old_node.js")), old_function(compat_program("old_java"), utf16),
        old_function(compat_program("old_scala"), utf16), old_function("python3 " + compat_script("old_python3.py"))}) {
    WatchdogProcess watchdog(options);
    const auto before = watchdog.children();
    const HttpAnswer get = request(watchdog.port(), "GET", "/");
    EXPECT_TRUE(get.status == 200 || get.status == 400) << get.status << watchdog.log();  // Python refuses, politely
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    const auto chunked = client.find_answer();
    ASSERT_TRUE(chunked) << client.last_error();
    EXPECT_EQ(chunked->status, 200);
    EXPECT_EQ(chunked->body, "hello");
    expect_echo(watchdog);
    expect_kept(watchdog, before);
  }
}

TEST(fragility, n21_a_function_that_never_reads_bodies_is_replaced_each_time) {
  WatchdogProcess watchdog(misbehave({}, "--ignore-body"));
  for (int round = 0; round < 3; ++round) {
    const auto before = watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
    const HttpAnswer answer = post(watchdog, "/echo", std::string(200'000, 'u'));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "");
    expect_replaced(watchdog, before);
  }
}

TEST(fragility, n21_methods_can_be_refused_before_they_reach_the_function) {
  WatchdogProcess watchdog(
      old_function(compat_program("old_scala"), {{"afterburn_units", "utf16"}, {"afterburn_methods", "POST"}}));
  const auto before = watchdog.children();
  const HttpAnswer refused = request(watchdog.port(), "PUT", "/", "unread");
  expect_own_error(refused, 405);
  EXPECT_EQ(refused.header("Allow"), "POST");
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(fragility, n24_long_heads_pass_up_to_the_limit_and_not_beyond) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const HttpAnswer passed =
      post(watchdog, "/echo-head", "x", {{"X-Long", std::string(14'000, 'v')}, {"X-Also", std::string(14'000, 'w')}});
  EXPECT_EQ(passed.status, 200);
  EXPECT_NE(passed.body.find("X-Long: " + std::string(14'000, 'v') + "\r\n"), std::string::npos);
  HttpClient client(watchdog.port());
  const auto refused = client.ask("POST", "/echo", "x", {{"X-Long", std::string(1'000'000, 'v')}});
  ASSERT_TRUE(refused) << client.last_error();
  EXPECT_EQ(refused->status, 431);
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

}  // namespace
}  // namespace fwd::test
