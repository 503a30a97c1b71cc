#include "tests/unit/server/sessions_fixture.hpp"

namespace fwd {
namespace {

const std::string kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string kLast = "GET /last HTTP/1.1\r\nHost: h\r\n\r\n";

std::string status_of(const std::string& text) {
  return text.substr(0, text.find("\r\n"));
}

TEST_F(SessionsTest, requests_of_one_connection_are_answered_in_turn) {
  Sessions& sessions = make();
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kGet + "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\none" + kLast);
    const std::string text = co_await until(client, "GET /last:");
    EXPECT_LT(text.find("GET /a:HTTP/1.1 200 OK\r\n"), text.find("POST /b:oneHTTP/1.1 200 OK\r\n")) << text;
    EXPECT_EQ(sessions.count(), 1U);
    client.close();
    co_await all_ended();
    EXPECT_EQ(handler_.served, 3);
    EXPECT_TRUE(handler_.refused.empty());
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, a_request_cut_at_every_place_is_the_same_request) {
  make();
  const std::string request =
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n";
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    client.set_option(asio::ip::tcp::no_delay(true));
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
      co_await send(client, request.substr(0, cut));
      for (int i = 0; i < 3; ++i) co_await turn();  // so that the session sees the first part alone
      co_await send(client, request.substr(cut));
      const std::string text = co_await until(client, "POST /c:abcde");
      EXPECT_EQ(status_of(text), "HTTP/1.1 200 OK") << cut;
    }
    client.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, a_body_that_nobody_read_is_skipped_if_it_is_here_and_ends_the_connection_else) {
  make();
  handler_.answer = [](ServerExchange& exchange) -> Task<void> { (void)co_await answer_text(exchange, 200, "done"); };
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n";
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, head + "here" + kGet);
    const std::string both = co_await until(client, "done");
    EXPECT_EQ(both.find("Connection: close"), std::string::npos) << both;
    if (both.find("done") == both.rfind("done")) co_await until(client, "done");
    EXPECT_EQ(handler_.served, 2);
    co_await send(client, head + "ha");
    const std::string last = co_await to_end(client);
    EXPECT_NE(last.find("\r\nConnection: close\r\n"), std::string::npos) << last;
    EXPECT_TRUE(last.ends_with("done")) << last;
    client.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, what_cannot_be_understood_is_refused_once_and_ends_the_connection) {
  Sessions& sessions = make();
  struct Case {
    const char* bytes;
    Errc error;
    const char* status;
  };
  const Case cases[] = {
      {"nonsense\r\n\r\n", Errc::malformed_request, "HTTP/1.1 400 Bad Request"},
      {"GET / HTTP/1.1\r\n\r\n", Errc::malformed_request, "HTTP/1.1 400 Bad Request"},
      {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", Errc::unsupported_version, "HTTP/1.1 505 HTTP Version Not Supported"},
      {"GET / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n", Errc::expectation_failed, "HTTP/1.1 417 Expectation Failed"},
  };
  auto script = [&]() -> Task<void> {
    for (const Case& each : cases) {
      Socket client = connect();
      co_await send(client, each.bytes + kGet);
      const std::string text = co_await to_end(client);
      EXPECT_EQ(status_of(text), each.status) << text;
      EXPECT_EQ(text.find("HTTP/1.1", 1), std::string::npos) << text;
      EXPECT_EQ(handler_.refused.back(), each.error) << each.bytes;
      client.close();
      co_await all_ended();
    }
    EXPECT_EQ(handler_.served, 0);
    EXPECT_EQ(sessions.count(), 0U);
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, an_answer_that_was_not_finished_ends_with_a_reset) {
  make();
  handler_.answer = [](ServerExchange& exchange) -> Task<void> {
    const Answer answer{};
    (void)co_await exchange.respond(answer).write("half");
  };
  auto script = [&]() -> Task<void> {
    for (const std::string version : {"1.0", "1.1"}) {
      Socket client = connect();
      co_await send(client, "GET / HTTP/" + version + "\r\nHost: h\r\n\r\n");
      const std::string text = co_await to_end(client);
      EXPECT_NE(text.find(" then Connection reset by peer"), std::string::npos) << version << text;
    }
    co_await all_ended();
  };
  run_task(context_, script());
}

/// Otherwise a client of HTTP/1.0 takes what it has for all there is.
TEST_F(SessionsTest, an_answer_that_takes_longer_than_write_timeout_ends_with_a_reset) {
  SessionOptions options;
  options.limits.write_timeout = milliseconds(50);
  make(options);
  bool over = false;
  handler_.answer = [&over, this](ServerExchange& exchange) -> Task<void> {
    const Answer answer{};
    (void)co_await exchange.respond(answer).write("half");
    while (!over) co_await turn();
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, "GET / HTTP/1.0\r\n\r\n");
    const std::string text = co_await to_end(client);
    EXPECT_NE(text.find(" then Connection reset by peer"), std::string::npos) << text;
    over = true;
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, the_oldest_idle_connection_makes_room_and_busy_ones_stay) {
  Sessions& sessions = make();
  bool over = false;
  handler_.answer = [&over, this](ServerExchange& exchange) -> Task<void> {
    while (!over) co_await turn();
    (void)co_await answer_text(exchange, 200, "busy");
  };
  auto script = [&]() -> Task<void> {
    EXPECT_FALSE(sessions.end_oldest_idle());
    Socket first = connect(), second = connect(), busy = connect();
    co_await send(busy, kGet);
    while (handler_.served == 0) co_await turn();
    EXPECT_TRUE(sessions.any_idle());
    EXPECT_TRUE(sessions.end_oldest_idle());
    EXPECT_EQ(co_await to_end(first), "");
    EXPECT_TRUE(sessions.end_oldest_idle());
    EXPECT_EQ(co_await to_end(second), "");
    EXPECT_FALSE(sessions.end_oldest_idle());
    EXPECT_FALSE(sessions.any_idle());
    over = true;
    EXPECT_TRUE((co_await until(busy, "busy")).ends_with("busy"));
    first.close();
    second.close();
    busy.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(SessionsTest, a_bug_costs_its_request_and_is_told) {
  make();
  bool begun = false;
  handler_.answer = [&begun](ServerExchange& exchange) -> Task<void> {
    const Answer answer{.length = 9};
    if (begun) (void)co_await exchange.respond(answer).write("half");
    throw std::runtime_error("a bug");
  };
  auto script = [&]() -> Task<void> {
    Socket first = connect();
    co_await send(first, kGet + kGet);
    const std::string text = co_await to_end(first);
    EXPECT_EQ(status_of(text), "HTTP/1.1 500 Internal Server Error") << text;
    EXPECT_EQ(text.find("a bug"), std::string::npos) << "no client sees our internals";
    begun = true;
    Socket second = connect();
    co_await send(second, kGet);
    EXPECT_NE((co_await to_end(second)).find(" then Connection reset by peer"), std::string::npos);
    EXPECT_EQ(handler_.bugs, (std::vector<std::string>{"a bug", "a bug"}));
    first.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
