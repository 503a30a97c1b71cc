#include "modes/tunnel.hpp"

#include <gtest/gtest.h>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <filesystem>
#include <unistd.h>

#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd {
namespace {

using Local = asio::local::stream_protocol;
using LocalSocket = asio::basic_stream_socket<Local, Executor>;

/// The client's side of a tunnel: what it sends, piece by piece, and what it was sent.
class ScriptedClient final : public Duplex {
 public:
  explicit ScriptedClient(std::vector<std::string> sends, bool stays = false) : sends_(std::move(sends)), stays_(stays) {}

  Task<Result<std::string_view>> read() override {
    if (next_ < sends_.size()) co_return std::string_view(sends_[next_++]);
    if (stays_ && !closed) co_await gone_.wait();
    if (closed) co_return Errc::client_gone;
    co_return std::string_view{};
  }
  Task<Error> write(std::string_view bytes) override {
    received.append(bytes);
    co_return closed ? Error(Errc::client_gone) : Error{};
  }
  void end_writing() override { ended = true; }
  void close() override {
    closed = true;
    if (executor) gone_.wake(*executor);
  }

  std::string received;
  bool ended = false;
  bool closed = false;
  std::optional<Executor> executor;

 private:
  std::vector<std::string> sends_;
  std::size_t next_ = 0;
  bool stays_;
  Event gone_;
};

/// An upstream on a socket of its own, and our connection to it.
struct Fixture {
  asio::io_context context{1};
  OverdueWatch watch{context.get_executor()};
  test::TemporaryFolder folder;
  UpstreamUrl url;
  asio::basic_socket_acceptor<Local, Executor> acceptor{context.get_executor(), Local::endpoint(folder / "s")};
  LocalSocket upstream{context.get_executor()};
  UpstreamConnection connection{watch};

  Task<void> connect() {
    url.socket = folder / "s";
    const Error error = co_await connection.connect(url);
    EXPECT_FALSE(error) << error.message();
    auto [failure, peer] = co_await acceptor.async_accept(no_throw);
    EXPECT_FALSE(failure) << failure.message();
    upstream = std::move(peer);
  }

  /// Everything that the tunnel sends to the upstream, up to its end.
  Task<std::string> read_upstream() {
    std::string all;
    for (char bytes[4096];;) {
      auto [error, count] = co_await upstream.async_read_some(asio::buffer(bytes), no_throw);
      all.append(bytes, count);
      if (error) co_return all;
    }
  }
};

TEST(tunnel, ends_of_both_sides_are_passed_on_behind_all_bytes) {
  Fixture fixture;
  ScriptedClient client({"from ", "the client"});
  auto run = [](Fixture& all, ScriptedClient& side) -> Task<void> {
    co_await all.connect();
    const std::string greeting = "from the upstream";
    (void)co_await asio::async_write(all.upstream, asio::buffer(greeting), no_throw);
    Tunnel tunnel(all.watch, side, all.connection, {});
    bool done = false;
    auto rest = [](Fixture& again, bool& ended) -> Task<void> {
      EXPECT_EQ(co_await again.read_upstream(), "from the client");
      again.upstream.close();
      ended = true;
    };
    start(all.context.get_executor(), rest(all, done));
    co_await tunnel.run();
    EXPECT_TRUE(done);
  };
  run_task(fixture.context, run(fixture, client));
  EXPECT_EQ(client.received, "from the upstream");
  EXPECT_TRUE(client.ended);
  EXPECT_TRUE(client.closed);
}

TEST(tunnel, an_upstream_that_ends_leaves_the_clients_direction_open) {
  Fixture fixture;
  ScriptedClient client({"late"});
  auto run = [](Fixture& all, ScriptedClient& side) -> Task<void> {
    co_await all.connect();
    Error error;
    all.upstream.shutdown(LocalSocket::shutdown_send, error);
    Tunnel tunnel(all.watch, side, all.connection, {});
    co_await tunnel.run();
    EXPECT_EQ(co_await all.read_upstream(), "late");
  };
  run_task(fixture.context, run(fixture, client));
  EXPECT_TRUE(client.ended);
}

TEST(tunnel, a_client_that_fails_closes_the_upstream) {
  Fixture fixture;
  ScriptedClient client({}, true);
  client.closed = true;
  auto run = [](Fixture& all, ScriptedClient& side) -> Task<void> {
    co_await all.connect();
    Tunnel tunnel(all.watch, side, all.connection, {});
    co_await tunnel.run();
    EXPECT_EQ(co_await all.read_upstream(), "");
  };
  run_task(fixture.context, run(fixture, client));
}

TEST(tunnel, limits_close_both_sides) {
  for (const bool idle : {true, false}) {
    Fixture fixture;
    ScriptedClient client({"x"}, true);
    client.executor = fixture.context.get_executor();
    auto run = [](Fixture& all, ScriptedClient& side, Tunnel::Limits limits) -> Task<void> {
      co_await all.connect();
      Tunnel tunnel(all.watch, side, all.connection, limits);
      co_await tunnel.run();
      EXPECT_EQ(co_await all.read_upstream(), "x");
    };
    Tunnel::Limits limits;
    (idle ? limits.idle : limits.total) = milliseconds(20);
    run_task(fixture.context, run(fixture, client, limits));
    EXPECT_TRUE(client.closed);
  }
}

}  // namespace
}  // namespace fwd
