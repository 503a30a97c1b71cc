#include "modes/upstream_connection.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "watchdog/base/gather.hpp"

namespace fwd {
namespace {

using Tcp = asio::ip::tcp;

constexpr std::size_t kFirstBytes = 4 * 1024;
constexpr std::size_t kMostBytes = 64 * 1024;  // as large as a head may be; then the function waits for the client
constexpr nanoseconds kFirstRetry = milliseconds(1), kLongestRetry = milliseconds(20);  // where a backlog is full

}  // namespace

Task<void> sleep_for(OverdueWatch& watch, Event& wake, nanoseconds length) {
  OverdueCall due([&watch, &wake] { wake.wake(watch.executor()); });
  watch.watch(due, Clock::now() + length);
  co_await wake.wait();
}

UpstreamConnection::UpstreamConnection(OverdueWatch& watch)
    : watch_(watch), socket_(watch.executor()), input_(socket_, kFirstBytes, kMostBytes) {}

Task<Error> UpstreamConnection::connect(const UpstreamUrl& url) {
  if (url.is_unix()) co_return co_await connect_to_unix(url.socket);
  Error error;
  if (const auto address = asio::ip::make_address(url.host, error); !error) {
    const Tcp::endpoint endpoint(address, url.port);
    co_return co_await connect_to(endpoint);
  }
  if (url.host != "localhost") co_return co_await connect_by_name(url);
  const Tcp::endpoint old_one(asio::ip::address_v4::loopback(), url.port);
  const Tcp::endpoint new_one(asio::ip::address_v6::loopback(), url.port);
  error = co_await connect_to(old_one);
  if (!error || closed_) co_return error;
  const Error second = co_await connect_to(new_one);
  co_return second ? error : second;  // a machine without IPv6 says nothing of interest
}

Task<Error> UpstreamConnection::connect_by_name(const UpstreamUrl& url) {
  resolver_.emplace(watch_.executor());
  auto [error, found] = co_await resolver_->async_resolve(url.host, std::to_string(url.port), no_throw);
  for (const auto& each : found) {
    if (closed_) co_return asio::error::operation_aborted;
    error = co_await connect_to(each.endpoint());
    if (!error) break;
  }
  co_return error;
}

Task<Error> UpstreamConnection::connect_to(const asio::generic::stream_protocol::endpoint& endpoint) {
  Error error;
  if (socket_.is_open()) socket_.close(error);  // of a try before
  socket_.open(endpoint.protocol(), error);
  if (error) co_return error;
  socket_.non_blocking(true, error);
  if (error) co_return error;
  auto [failure] = co_await socket_.async_connect(endpoint, no_throw);
  if (closed_) co_return asio::error::operation_aborted;
  if (failure) co_return failure;
  if (is_to_itself()) {
    Error ignored;  // a reset leaves the port free at once
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
    co_return asio::error::connection_refused;
  }
  Error ignored;  // only slower without it
  socket_.set_option(Tcp::no_delay(true), ignored);
  co_return Error{};
}

/// Where nobody listens on a port of the ephemeral range, the kernel may choose that same port for our end, and TCP
/// connects the socket to itself: RFC 9293 section 3.5, simultaneous open.
bool UpstreamConnection::is_to_itself() const {
  Error error;  // a socket that cannot tell is not connected at all
  const auto ours = socket_.local_endpoint(error);
  const auto theirs = socket_.remote_endpoint(error);
  return !error && ours == theirs;
}

/// Asio would wait for a full backlog as if the connection were under way, and then call it made; the kernel says EAGAIN,
/// and nothing tells when there is room: connect(2).
Task<Error> UpstreamConnection::connect_to_unix(const std::string& path) {
  const asio::local::stream_protocol::endpoint endpoint(path);
  Error error;
  socket_.open(endpoint.protocol(), error);
  if (error) co_return error;
  socket_.non_blocking(true, error);
  if (error) co_return error;
  Event wake;
  for (nanoseconds pause = kFirstRetry;; pause = std::min(2 * pause, kLongestRetry)) {
    if (::connect(socket_.native_handle(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0) co_return Error{};
    if (errno != EAGAIN) co_return system_error(errno);
    co_await sleep_for(watch_, wake, pause);
    if (closed_) co_return asio::error::operation_aborted;
  }
}

std::size_t UpstreamConnection::write_some(std::string_view bytes, Error& error) {
  const std::size_t sent = socket_.write_some(asio::buffer(bytes), error);
  if (error == asio::error::would_block) error = {};
  return sent;
}

Task<Error> UpstreamConnection::write(std::span<const std::string_view> pieces) {
  std::size_t total = 0;
  Error error;
  const std::size_t sent = write_some_of(socket_, pieces, total, error);
  if (error) co_return error;
  if (sent == total) co_return Error{};
  const Buffers rest = rest_of(pieces, sent);
  auto [failure, count] = co_await asio::async_write(socket_, rest, no_throw);
  co_return failure;
}

void UpstreamConnection::acknowledge() {
  const int now = 1;  // a Unix socket refuses it, and needs none: unix(7), tcp(7)
  (void)::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &now, sizeof now);
}

void UpstreamConnection::end_writing() {
  Error ignored;  // its end is seen by the reader
  socket_.shutdown(UpstreamSocket::shutdown_send, ignored);
}

void UpstreamConnection::close() {
  closed_ = true;
  if (resolver_) resolver_->cancel();
  Error ignored;  // nothing can be done about a failed close
  socket_.close(ignored);
}

bool UpstreamConnection::surely_usable() {
  if (!usable()) return false;
  char next;
  return ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/// Of an idle connection: its limit, its end, or bytes that nobody asked for.
void UpstreamConnection::overdue() {
  const auto lost = std::move(lost_);  // for it may destroy this
  lost();
}

void UpstreamConnection::watch_idle(nanoseconds limit, std::function<void()> lost) {
  reused_ = true;
  lost_ = std::move(lost);
  input_.on_unawaited([this] { overdue(); });
  input_.start();
  watch_.watch(*this, Clock::now() + limit);
}

void UpstreamConnection::end_idle() {
  watch_.forget(*this);
  input_.on_unawaited(nullptr);
}

}  // namespace fwd
