#include "watchdog/server/connection.hpp"

#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace fwd {
namespace {

constexpr std::size_t kFirstBytes = 4 * 1024;
constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::size_t kLingerBytes = 64 * 1024;
constexpr nanoseconds kLingerTime = seconds(1);
constexpr std::size_t kMostPieces = 3;

using Buffers = std::array<asio::const_buffer, kMostPieces>;

/// What is left of `pieces` after `skip` bytes.
Buffers rest_of(std::span<const std::string_view> pieces, std::size_t skip) {
  Buffers buffers;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t cut = std::min(skip, pieces[i].size());
    buffers[i] = asio::buffer(pieces[i].substr(cut));
    skip -= cut;
  }
  return buffers;
}

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
  char next;
  const ssize_t count = ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

Task<Error> Connection::write(std::span<const std::string_view> pieces) {
  std::size_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  Error error;
  const std::size_t sent = total == pieces[0].size() ? socket_.write_some(asio::buffer(pieces[0]), error)
                                                     : socket_.write_some(rest_of(pieces, 0), error);
  if (error && error != asio::error::would_block) co_return expired_ ? Errc::write_timeout : Errc::client_gone;
  if (sent == total) co_return Error{};
  const Buffers rest = rest_of(pieces, sent);
  auto [failure, count] = co_await asio::async_write(socket_, rest, no_throw);
  if (!failure) co_return Error{};
  co_return expired_ ? Errc::write_timeout : Errc::client_gone;
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
