#include "tests/unit/server/sessions_fixture.hpp"

namespace fwd {
namespace {

using WatchClientTest = SessionsTest;

const std::string kRequest = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

/// Waits until the client leaves, then says so, and answers.
class GoneHandler {
 public:
  explicit GoneHandler(const Executor& executor) : executor_(executor) {}

  Task<void> serve(ServerExchange& exchange) {
    exchange.watch_client([this] {
      told = true;
      left_.wake(executor_);
    });
    begun = true;
    co_await left_.wait();
    (void)co_await answer_text(exchange, 200, "late");
  }
  void release() { left_.wake(executor_); }

  bool begun = false;
  bool told = false;

 private:
  Executor executor_;
  Event left_;
};

TEST_F(WatchClientTest, a_client_that_leaves_is_noticed_though_it_had_sent_more) {
  make();
  GoneHandler gone(context_.get_executor());
  handler_.answer = [&gone](ServerExchange& exchange) { return gone.serve(exchange); };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest + "GET /next");
    while (!gone.begun) co_await turn();
    Event later;
    OverdueCall due([&later, this] { later.wake(context_.get_executor()); });
    watch_.watch(due, 2 * Connection::kTogether);  // what ends at once ends with its request
    co_await later.wait();
    client.close();
    co_await all_ended();
    EXPECT_TRUE(gone.told);
  };
  run_task(context_, script());
}

TEST_F(WatchClientTest, a_client_that_ended_its_side_with_its_request_is_answered) {
  make();
  GoneHandler gone(context_.get_executor());
  handler_.answer = [&gone](ServerExchange& exchange) { return gone.serve(exchange); };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    client.shutdown(Socket::shutdown_send);
    while (!gone.begun) co_await turn();
    gone.release();
    EXPECT_TRUE((co_await to_end(client)).ends_with("late"));
    EXPECT_FALSE(gone.told);
  };
  run_task(context_, script());
}

TEST_F(WatchClientTest, a_client_that_ended_its_side_is_answered_though_the_event_loop_is_late) {
  make();
  GoneHandler gone(context_.get_executor());
  handler_.answer = [&gone](ServerExchange& exchange) { return gone.serve(exchange); };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    client.shutdown(Socket::shutdown_send);
    while (!gone.begun) co_await turn();
    const auto late = Clock::now() + 2 * Connection::kTogether;
    while (Clock::now() < late) {
    }
    for (int i = 0; i < 3; ++i) co_await turn();
    EXPECT_FALSE(gone.told);
    gone.release();
    EXPECT_TRUE((co_await to_end(client)).ends_with("late"));
  };
  run_task(context_, script());
}

TEST_F(WatchClientTest, a_client_that_reset_its_connection_before_the_watch_is_noticed) {
  make();
  GoneHandler gone(context_.get_executor());
  Event reset;
  bool reached = false;
  handler_.answer = [&](ServerExchange& exchange) -> Task<void> {
    reached = true;
    co_await reset.wait();
    co_await gone.serve(exchange);
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    while (!reached) co_await turn();
    client.set_option(asio::socket_base::linger(true, 0));
    client.close();
    reset.wake(context_.get_executor());
    co_await all_ended();
    EXPECT_TRUE(gone.told);
  };
  run_task(context_, script());
}

TEST_F(WatchClientTest, the_watch_ends_with_the_request) {
  make();
  bool told = false;
  handler_.answer = [&told](ServerExchange& exchange) -> Task<void> {
    exchange.watch_client([&told] { told = true; });
    (void)co_await answer_text(exchange, 200, "done");
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    (void)co_await until(client, "done");
    client.close();
    co_await all_ended();
    EXPECT_FALSE(told);
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
