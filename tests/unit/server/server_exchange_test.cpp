#include "watchdog/server/server_exchange.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "tests/unit/server/sessions_fixture.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

using ServerExchangeTest = SessionsTest;

const std::string kRequest = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

/// A file in memory: `size` bytes, each the low byte of its place.
class PatternFile {
 public:
  explicit PatternFile(std::size_t size) : fd_(::memfd_create("pattern", MFD_CLOEXEC)) {
    for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(i * 7 % 251);
    EXPECT_EQ(::write(fd_.get(), bytes_.data(), size), static_cast<ssize_t>(size));
  }
  int fd() const { return fd_.get(); }
  const std::string& bytes() const { return bytes_; }

 private:
  UniqueFd fd_;
  std::string bytes_;
};

Task<Error> send_part(ServerExchange& exchange, int fd, std::uint64_t offset, std::uint64_t count,
                      std::optional<std::uint64_t> length) {
  const Field type{"Content-Type", "a/b"};
  const Answer answer{.fields = {&type, 1}, .length = length};
  BodySink& sink = exchange.respond(answer);
  if (const Error error = co_await sink.write_file(fd, offset, count)) co_return error;
  co_return co_await sink.finish({});
}

std::string body_of(const std::string& text) { return text.substr(text.find("\r\n\r\n") + 4); }

TEST_F(ServerExchangeTest, a_part_of_a_file_of_any_size_is_sent_as_it_is) {
  make();
  const PatternFile file(600'000);
  for (const std::uint64_t count : {0U, 1U, 16'384U, 16'385U, 500'000U}) {
    handler_.answer = [&](ServerExchange& exchange) -> Task<void> {
      EXPECT_EQ(co_await send_part(exchange, file.fd(), 1000, count, count), Error{});
    };
    auto script = [&]() -> Task<void> {
      Socket client = connect();
      const std::string request = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
      co_await send(client, request);
      const std::string text = co_await to_end(client);
      EXPECT_NE(text.find("Content-Length: " + std::to_string(count) + "\r\n"), std::string::npos) << text.substr(0, 200);
      EXPECT_TRUE(body_of(text) == file.bytes().substr(1000, count)) << count;
      co_await all_ended();
    };
    run_task(context_, script());
  }
}

TEST_F(ServerExchangeTest, a_part_of_a_file_can_go_out_in_chunks) {
  make();
  const PatternFile file(40'000);
  handler_.answer = [&](ServerExchange& exchange) -> Task<void> {
    EXPECT_EQ(co_await send_part(exchange, file.fd(), 0, 40'000, std::nullopt), Error{});
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    const std::string text = co_await until(client, "0\r\n\r\n");
    EXPECT_NE(text.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_TRUE(body_of(text).starts_with("4000\r\n" + file.bytes().substr(0, 0x4000) + "\r\n4000\r\n"));
    client.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(ServerExchangeTest, a_file_that_ends_early_cuts_the_answer) {
  make();
  const PatternFile file(20'000);
  handler_.answer = [&](ServerExchange& exchange) -> Task<void> {
    EXPECT_EQ(co_await send_part(exchange, file.fd(), 0, 30'000, 30'000), Errc::worker_protocol);
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    EXPECT_TRUE((co_await to_end(client)).ends_with("Connection reset by peer"));
    co_await all_ended();
  };
  run_task(context_, script());
}

TEST_F(ServerExchangeTest, head_gets_the_length_of_a_file_and_none_of_it) {
  make();
  const PatternFile file(200'000);
  handler_.answer = [&](ServerExchange& exchange) -> Task<void> {
    EXPECT_EQ(co_await send_part(exchange, file.fd(), 0, 200'000, 200'000), Error{});
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    const std::string request = "HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    co_await send(client, request);
    const std::string text = co_await to_end(client);
    EXPECT_NE(text.find("Content-Length: 200000\r\n"), std::string::npos) << text;
    EXPECT_EQ(body_of(text), "");
  };
  run_task(context_, script());
}

TEST_F(ServerExchangeTest, an_interim_answer_goes_out_before_the_answer_but_not_to_http_1_0) {
  make();
  handler_.answer = [](ServerExchange& exchange) -> Task<void> {
    const std::array<Field, 2> fields{{{"Link", "</a.css>"}, {"Connection", "close"}}};
    const Answer hints{.status = 103, .fields = fields};
    EXPECT_EQ(co_await exchange.inform(hints), Error{});
    (void)co_await answer_text(exchange, 200, "done");
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    const std::string text = co_await until(client, "done");
    EXPECT_TRUE(text.starts_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\n")) << text;
    Socket old_client = connect();
    const std::string old_request = "GET /a HTTP/1.0\r\n\r\n";
    co_await send(old_client, old_request);
    const std::string old_text = co_await to_end(old_client);
    EXPECT_TRUE(old_text.starts_with("HTTP/1.1 200 OK\r\n")) << old_text;
    client.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

/// Answers 101, then each piece that comes in capitals, until the client ends its side; then says bye.
Task<void> shout(ServerExchange& exchange) {
  const std::array<Field, 2> fields{{{"Connection", "Upgrade"}, {"Upgrade", "loud"}}};
  const Answer answer{.status = 101, .fields = fields};
  const auto stream = co_await exchange.upgrade(answer);
  EXPECT_TRUE(stream);
  if (!stream) co_return;
  for (;;) {
    const auto piece = co_await (*stream)->read();
    if (!piece || piece->empty()) break;
    std::string loud;
    for (const char c : *piece) loud += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(co_await (*stream)->write(loud), Error{});
  }
  EXPECT_EQ(co_await (*stream)->write("bye"), Error{});
}

TEST_F(ServerExchangeTest, an_upgraded_connection_carries_bytes_both_ways_and_those_sent_early_first) {
  Sessions& sessions = make();
  handler_.answer = shout;
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    const std::string request = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: loud\r\n\r\nearly ";
    co_await send(client, request);
    const std::string begun = co_await until(client, "EARLY ");
    EXPECT_EQ(begun, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: loud\r\n\r\nEARLY ");
    const std::string more = "GET / HTTP/1.1\r\n\r\n";
    co_await send(client, more);
    EXPECT_EQ(co_await until(client, "\r\n\r\n"), more);
    client.shutdown(Socket::shutdown_send);
    EXPECT_EQ(co_await to_end(client), "bye");
    client.close();
    co_await all_ended();
    EXPECT_EQ(sessions.count(), 0U);
    EXPECT_TRUE(handler_.refused.empty());
  };
  run_task(context_, script());
}

TEST_F(ServerExchangeTest, both_ends_of_the_connection_are_told) {
  make();
  Peer seen;
  handler_.answer = [&seen](ServerExchange& exchange) -> Task<void> {
    seen = exchange.peer();
    (void)co_await answer_text(exchange, 200, "done");
  };
  auto script = [&]() -> Task<void> {
    Socket client = connect();
    co_await send(client, kRequest);
    (void)co_await until(client, "done");
    EXPECT_EQ(seen.address, "127.0.0.1");
    EXPECT_EQ(seen.port, client.local_endpoint().port());
    EXPECT_EQ(seen.local_port, client.remote_endpoint().port());
    client.close();
    co_await all_ended();
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
