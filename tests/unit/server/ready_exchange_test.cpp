#include "watchdog/server/ready_exchange.hpp"

#include <gtest/gtest.h>
#include <string>

#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

/// A client's exchange that has a head, and remembers what it is asked.
class FakeClient final : public Exchange, private BodySource, private BodySink {
 public:
  explicit FakeClient(const std::string& head) { EXPECT_FALSE(head_.assign(head, {})) << head; }

  const RequestHead& request() const override { return head_; }
  BodySource& body() override {
    body_asked = true;
    return *this;
  }
  BodySink& respond(const Answer& answer) override {
    status = answer.status;
    return *this;
  }
  bool responded() const override { return status != 0; }
  bool client_gone() const override { return true; }
  void watch_client(std::function<void()>) override {}
  Task<Error> inform(const Answer&) override { co_return Error{}; }
  Task<Result<Duplex*>> upgrade(const Answer&) override { co_return Errc::client_gone; }
  const Peer& peer() const override { return peer_; }
  std::string_view traceparent() const override { return "the client's"; }
  Deadline deadline() const override { return Deadline(seconds(7)); }
  Timing& timing() override { return timing_; }

  int status = 0;
  bool body_asked = false;

 private:
  std::optional<std::uint64_t> length() const override { return 3; }
  Task<Result<std::string_view>> next() override { co_return std::string_view("abc"); }
  Task<Error> write(std::string_view) override { co_return Error{}; }
  Task<Error> write_file(int, std::uint64_t, std::uint64_t) override { co_return Error{}; }
  Task<Error> finish(std::string_view) override { co_return Error{}; }

  RequestHead head_;
  Peer peer_{.address = "10.0.0.9", .port = 1};
  Timing timing_;
};

TEST(ready_exchange, asks_get_of_its_path_with_the_fields_of_the_client) {
  FakeClient client(
      "GET /_/ready?x HTTP/1.1\r\nAccept: a/b\r\nHost: fn:8080\r\nX-Two: 1\r\nX-Two: 2\r\nContent-Length: 3\r\n"
      "Expect: 100-continue\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nUpgrade: websocket\r\n\r\n");
  const ReadyExchange ready(client, "/healthz?deep=1");
  ASSERT_FALSE(ready.error()) << ready.error().message();
  const RequestHead& request = ready.request();
  EXPECT_EQ(request.method(), "GET");
  EXPECT_EQ(request.target(), "/healthz?deep=1");
  EXPECT_EQ(request.path(), "/healthz");
  EXPECT_EQ(request.host(), "fn:8080");
  EXPECT_FALSE(request.has_body());
  EXPECT_FALSE(request.expects_continue());
  std::string fields;
  for (const Field& field : request.fields()) fields += std::string(field.name) + "=" + std::string(field.value) + ";";
  EXPECT_EQ(fields, "Host=fn:8080;Accept=a/b;X-Two=1;X-Two=2;");
}

TEST(ready_exchange, knows_no_body_whatever_the_client_sends) {
  FakeClient client("GET /_/ready HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  ReadyExchange ready(client, "/");
  ASSERT_FALSE(ready.error()) << ready.error().message();
  EXPECT_FALSE(ready.request().chunked());
  EXPECT_EQ(ready.body().length(), 0U);
  asio::io_context context;
  auto read = [&ready]() -> Task<void> {
    const auto piece = co_await ready.body().next();
    EXPECT_TRUE(piece && piece->empty());
  };
  run_task(context, read());
  EXPECT_FALSE(client.body_asked);
}

TEST(ready_exchange, a_client_without_a_host_has_one_that_is_empty) {
  FakeClient client("GET /_/ready HTTP/1.0\r\n\r\n");
  const ReadyExchange ready(client, "/");
  ASSERT_FALSE(ready.error()) << ready.error().message();
  EXPECT_EQ(ready.request().host(), "");
}

TEST(ready_exchange, a_head_as_large_as_the_limits_is_no_larger_than_before) {
  std::string head = "GET /_/ready HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 127; ++i) head += "X-" + std::to_string(i) + ": " + std::string(200, 'x') + "\r\n";
  FakeClient client(head + "\r\n");
  const ReadyExchange ready(client, "/" + std::string(9000, 'p'));
  EXPECT_FALSE(ready.error()) << ready.error().message();
  EXPECT_EQ(ready.request().fields().size(), 128U);
}

TEST(ready_exchange, a_path_that_is_no_target_is_an_error) {
  FakeClient client("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const char* path : {"", "no-slash", "/a b", "/a\r\nX: y"})
    EXPECT_EQ(ReadyExchange(client, path).error(), Errc::malformed_request) << path;
}

TEST(ready_exchange, everything_else_is_the_clients) {
  FakeClient client("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n");
  ReadyExchange ready(client, "/");
  EXPECT_FALSE(ready.responded());
  (void)ready.respond({.status = 418});
  EXPECT_EQ(client.status, 418);
  EXPECT_TRUE(ready.responded());
  EXPECT_TRUE(ready.client_gone());
  EXPECT_EQ(ready.peer().address, "10.0.0.9");
  EXPECT_EQ(ready.traceparent(), "the client's");
  EXPECT_EQ(ready.deadline(), client.deadline());
  EXPECT_EQ(&ready.timing(), &client.timing());
}

}  // namespace
}  // namespace fwd
