#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/run_task.hpp"
#include "watchdog/server/error_answer.hpp"
#include "watchdog/server/sessions.hpp"

namespace fwd {

/// Hands requests to what the test wants done; answers errors as the watchdog does.
class FakeHandler final : public RequestHandler {
 public:
  Task<void> serve(ServerExchange& exchange) override {
    ++served;
    return answer(exchange);
  }
  Task<void> refuse(ServerExchange& exchange, Error error) override {
    refused.push_back(error);
    (void)co_await answer_error(exchange, error, seconds(1), {});  // the connection ends either way
  }

  void failed(std::string_view what) override { bugs.emplace_back(what); }

  std::function<Task<void>(ServerExchange&)> answer;
  int served = 0;
  std::vector<Error> refused;
  std::vector<std::string> bugs;
};

/// Answers the body that it was sent, and the method and target before it.
inline Task<void> echo(ServerExchange& exchange) {
  std::string text = std::string(exchange.request().method()) + " " + std::string(exchange.request().target()) + ":";
  for (;;) {
    const auto piece = co_await exchange.body().next();
    if (!piece) {
      (void)co_await answer_error(exchange, piece.error(), seconds(1), {});
      co_return;
    }
    if (piece->empty()) break;
    text.append(*piece);
  }
  (void)co_await answer_text(exchange, 200, text);
}

/// Sessions over real sockets of one event loop, which the test's coroutine shares with them.
class SessionsTest : public testing::Test {
 protected:
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

  Sessions& make(SessionOptions options = {}) {
    handler_.answer = echo;
    return sessions_.emplace(watch_, handler_, options);
  }

  /// The client's end of a connection whose other end is a session.
  Socket connect() {
    Acceptor acceptor(context_, {asio::ip::address_v4::loopback(), 0});
    Socket client(context_), server(context_);
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
    sessions_->begin(std::move(server));
    return client;
  }

  static Task<void> send(Socket& client, std::string bytes) {
    auto [error, count] = co_await asio::async_write(client, asio::buffer(bytes), no_throw);
    EXPECT_FALSE(error) << error.message();
  }

  /// What comes until it ends with `last`, or the connection ends.
  static Task<std::string> until(Socket& client, std::string last) {
    std::string text;
    std::array<char, 4096> piece;
    while (last.empty() || !text.ends_with(last)) {
      auto [error, count] = co_await client.async_read_some(asio::buffer(piece), no_throw);
      text.append(piece.data(), count);
      if (error == asio::error::eof) break;
      if (error) {
        text += " then " + error.message();
        break;
      }
    }
    co_return text;
  }
  static Task<std::string> to_end(Socket& client) { return until(client, ""); }

  Task<void> turn() { co_await asio::post(context_, asio::use_awaitable_t<Executor>()); }
  Task<void> all_ended() {
    while (sessions_->count() > 0) co_await turn();
  }

  asio::io_context context_{1};
  OverdueWatch watch_{context_.get_executor()};
  FakeHandler handler_;
  std::optional<Sessions> sessions_;
};

}  // namespace fwd
