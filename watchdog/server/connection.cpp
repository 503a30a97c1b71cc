#include "watchdog/server/connection.hpp"

#include <boost/asio/write.hpp>

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "watchdog/base/gather.hpp"

namespace fwd {
namespace {

constexpr std::size_t kFirstBytes = 4 * 1024;
constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::size_t kLingerBytes = 64 * 1024;
constexpr nanoseconds kLingerTime = seconds(1);

}  // namespace

Connection::Connection(Socket socket, OverdueWatch& watch)
    : socket_(std::move(socket)), watch_(watch), input_(socket_, kFirstBytes, kMostBytes) {
  Error ignored;  // a socket that refuses to be non-blocking fails at the first read
  socket_.non_blocking(true, ignored);
}

Task<Error> Connection::more() {
  if (expired_) co_return Errc::request_timeout;
  const Error error = co_await input_.more();
  if (!error) co_return error;
  if (error == asio::error::no_buffer_space) co_return Errc::head_too_large;
  if (error != asio::error::operation_aborted) co_return Errc::client_gone;
  co_return let_go_ ? Errc::draining : Errc::request_timeout;
}

bool Connection::gone() const {
  if (input_.failure() || !socket_.is_open()) return true;
  const ssize_t count = peek();
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

/// As recv(2) has it: 0 at the client's end, -1 with EAGAIN while it is silent.
ssize_t Connection::peek() const {
  char next;
  return ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
}

void Connection::watch_client(std::function<void()> gone) {
  if (!gone || at_end()) return input_.on_unawaited(nullptr);
  const ssize_t waiting = peek();
  if (waiting == 0) return input_.on_unawaited(nullptr);
  const bool reset = waiting < 0 && errno != EAGAIN && errno != EINTR;  // the kernel says so once; then it is an end
  input_.on_unawaited([this, reset, since = Clock::now(), call = std::move(gone)] {
    if (!input_.failure()) return input_.start();
    if (!reset && at_end() && Clock::now() - since < kTogether) return;
    const auto once = call;  // which may end this watch, and this function with it
    once();
  });
  input_.start();
  if (input_.failure()) input_.tell_failure(watch_.executor());
}

Task<Error> Connection::write(std::span<const std::string_view> pieces) {
  std::size_t total = 0;
  Error error;
  const std::size_t sent = write_some_of(socket_, pieces, total, error);
  if (error) co_return expired_ ? Errc::write_timeout : Errc::client_gone;
  if (sent == total) co_return Error{};
  const Buffers rest = rest_of(pieces, sent);
  auto [failure, count] = co_await asio::async_write(socket_, rest, no_throw);
  if (!failure) co_return Error{};
  co_return expired_ ? Errc::write_timeout : Errc::client_gone;
}

Task<Error> Connection::send_file(int fd, std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t kMostAtOnce = 1024 * 1024;  // other connections want their turn, too
  auto from = static_cast<off_t>(offset);
  while (count > 0) {
    const ssize_t sent = ::sendfile(socket_.native_handle(), fd, &from, std::min(count, kMostAtOnce));
    if (sent == 0) co_return Errc::worker_protocol;
    if (sent > 0) count -= static_cast<std::uint64_t>(sent);
    if (sent > 0 || errno == EINTR) continue;
    if (errno == EIO) co_return system_error(EIO);
    if (errno != EAGAIN) co_return expired_ ? Errc::write_timeout : Errc::client_gone;
    auto [error] = co_await socket_.async_wait(Socket::wait_write, no_throw);
    if (error) co_return expired_ ? Errc::write_timeout : Errc::client_gone;
  }
  co_return Error{};
}

void Connection::end_writing() {
  Error ignored;  // the client may have gone
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Connection::close() {
  Error ignored;  // nothing can be done about a failed close
  socket_.close(ignored);
}

void Connection::overdue() {
  expired_ = true;
  if (input_.awaited()) return input_.interrupt(watch_.executor());
  reset();  // an answer that is cut here must not look complete
}

void Connection::let_go() {
  let_go_ = true;
  input_.interrupt(watch_.executor());
}

void Connection::reset() {
  Error ignored;  // the socket may be closed already
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
}

void Connection::cut() {
  if (!lingering_) return reset();
  Error ignored;  // the kernel sends what it still has
  socket_.close(ignored);
}

Task<void> Connection::close_lingering() {
  lingering_ = true;
  Error error;
  socket_.shutdown(Socket::shutdown_send, error);
  set_deadline(Clock::now() + kLingerTime);
  for (std::size_t discarded = input().size(); !error && discarded < kLingerBytes;) {
    consume(input().size());
    error = co_await input_.more();
    discarded += input().size();
  }
  watch_.forget(*this);
  socket_.close(error);
}

}  // namespace fwd
