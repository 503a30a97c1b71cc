#include "modes/upstream_connection.hpp"

#include <gtest/gtest.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd {
namespace {

using Tcp = asio::ip::tcp;
using TcpSocket = asio::basic_stream_socket<Tcp, Executor>;

/// A server on 127.0.0.1, and a connection that is to be made to it.
struct Fixture {
  asio::io_context context{1};
  OverdueWatch watch{context.get_executor()};
  asio::basic_socket_acceptor<Tcp, Executor> acceptor{context.get_executor(),
                                                      Tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  TcpSocket server{context.get_executor()};
  UpstreamConnection connection{watch};

  UpstreamUrl url(const std::string& host = "127.0.0.1") const {
    UpstreamUrl where;
    where.host = host;
    where.port = acceptor.local_endpoint().port();
    return where;
  }
  Task<void> connect(std::string host = "127.0.0.1") {
    const UpstreamUrl where = url(host);
    const Error error = co_await connection.connect(where);
    EXPECT_FALSE(error) << error.message();
    auto [failure, peer] = co_await acceptor.async_accept(no_throw);
    EXPECT_FALSE(failure) << failure.message();
    server = std::move(peer);
  }
};

TEST(upstream_connection, localhost_is_tried_by_its_addresses) {
  Fixture fixture;
  run_task(fixture.context, fixture.connect("localhost"));
  EXPECT_TRUE(fixture.connection.surely_usable());
}

TEST(upstream_connection, a_refusal_is_told_as_it_is) {
  Fixture fixture;
  UpstreamUrl url = fixture.url();
  fixture.acceptor.close();
  auto run = [](Fixture& all, const UpstreamUrl& where) -> Task<void> {
    const Error refused = co_await all.connection.connect(where);
    EXPECT_EQ(refused, asio::error::connection_refused);
    UpstreamUrl nowhere;
    nowhere.socket = "/nonexistent/socket";
    UpstreamConnection other(all.watch);
    const Error missing = co_await other.connect(nowhere);
    EXPECT_EQ(missing, system_error(ENOENT));
  };
  run_task(fixture.context, run(fixture, url));
}

TEST(upstream_connection, a_full_backlog_of_a_unix_socket_is_waited_for) {
  asio::io_context context(1);
  OverdueWatch watch(context.get_executor());
  const test::TemporaryFolder folder;
  using Local = asio::local::stream_protocol;
  asio::basic_socket_acceptor<Local, Executor> acceptor(context.get_executor());
  acceptor.open(Local());
  acceptor.bind(Local::endpoint(folder / "s"));
  acceptor.listen(0);
  UpstreamUrl url;
  url.socket = folder / "s";
  std::vector<std::unique_ptr<UpstreamConnection>> connections;
  std::size_t connected = 0;
  for (int i = 0; i < 4; ++i) {
    connections.push_back(std::make_unique<UpstreamConnection>(watch));
    auto run = [](UpstreamConnection& one, const UpstreamUrl& where, std::size_t& count) -> Task<void> {
      const Error error = co_await one.connect(where);
      EXPECT_FALSE(error) << error.message();
      ++count;
    };
    start(context.get_executor(), run(*connections.back(), url, connected));
  }
  auto accept_all = [](auto& listener, OverdueWatch& clock, std::size_t& count) -> Task<void> {
    std::vector<asio::basic_stream_socket<Local, Executor>> peers;
    while (peers.size() < 4) {
      auto [error, peer] = co_await listener.async_accept(no_throw);
      EXPECT_FALSE(error) << error.message();
      peers.push_back(std::move(peer));
    }
    for (Event never; count < 4;) co_await sleep_for(clock, never, milliseconds(1));
  };
  run_task(context, accept_all(acceptor, watch, connected));
  EXPECT_EQ(connected, 4U);
}

TEST(upstream_connection, an_idle_one_is_lost_at_its_end_by_bytes_and_by_time) {
  enum class How { end, bytes, time };
  for (const How how : {How::end, How::bytes, How::time}) {
    Fixture fixture;
    auto run = [](Fixture& all, How by) -> Task<void> {
      co_await all.connect();
      Event told;
      bool lost = false;
      const nanoseconds limit = by == How::time ? nanoseconds(milliseconds(10)) : nanoseconds(seconds(60));
      std::function<void()> tell = [&all, &told, &lost] {
        lost = true;
        told.wake(all.watch.executor());
      };
      all.connection.watch_idle(limit, std::move(tell));
      EXPECT_TRUE(all.connection.reused());
      if (by == How::end) all.server.close();
      const std::string unasked = "HTTP/1.1 408 Request Timeout\r\n\r\n";
      if (by == How::bytes) (void)co_await all.server.async_write_some(asio::buffer(unasked), no_throw);
      if (!lost) co_await told.wait();
      EXPECT_EQ(all.connection.usable(), by == How::time);
    };
    run_task(fixture.context, run(fixture, how));
  }
}

TEST(upstream_connection, the_kernel_knows_of_an_end_before_we_do) {
  Fixture fixture;
  auto run = [](Fixture& all) -> Task<void> {
    co_await all.connect();
    EXPECT_TRUE(all.connection.surely_usable());
    all.server.close();
    EXPECT_TRUE(all.connection.usable());
    EXPECT_FALSE(all.connection.surely_usable());
  };
  run_task(fixture.context, run(fixture));
}

TEST(upstream_connection, closing_ends_a_write_that_waits) {
  Fixture fixture;
  auto run = [](Fixture& all) -> Task<void> {
    co_await all.connect();
    OverdueCall give_up([&all] { all.connection.close(); });
    all.watch.watch(give_up, milliseconds(20));
    const std::string large(64 * 1024 * 1024, 'l');  // more than any socket holds
    const std::string_view pieces[] = {large};
    const Error error = co_await all.connection.write(pieces);
    EXPECT_EQ(error, asio::error::operation_aborted);
  };
  run_task(fixture.context, run(fixture));
}

}  // namespace
}  // namespace fwd
