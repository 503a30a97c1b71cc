#include "modes/child_call.hpp"

#include <boost/asio/write.hpp>

namespace fwd {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;   // of a body in a file
constexpr std::uint64_t kWideBytes = 256 * 1024;  // from here on wider pipes pay; reference/performance.md 6

}  // namespace

ChildCall::ChildCall(Exchange& exchange, Children::Lease lease, OverdueWatch& watch, bool cancel_on_disconnect)
    : exchange_(exchange), lease_(std::move(lease)), watch_(watch), cancel_on_disconnect_(cancel_on_disconnect) {
  exchange_.timing().handed_over = Clock::now();
  watch_.watch(*this, exchange_.deadline());
  child().tell_end([this] { stop_feeding(); });
}

void ChildCall::overdue() {
  if (!exchange_.responded()) child().fail(Errc::deadline_passed);
}

void ChildCall::stream_body() {
  if (!exchange_.request().has_body()) {
    exchange_.timing().body_read = exchange_.timing().head_read;
    child().process().close_input();
    return watch_client();
  }
  feeding_ = true;
  start(watch_.executor(), feed_stream());
}

/// A short body goes into the pipe at once; the rest of a longer one is written on its own.
void ChildCall::send(Spool& body) {
  watch_client();
  Error error;
  std::size_t written = 0;
  if (body.in_memory() && body.size() > 0)
    written = child().process().input().write_some(asio::buffer(body.memory()), error);
  const bool refused = error && error != asio::error::would_block;  // it wants nothing: no error
  if (refused || written == body.size()) return child().process().close_input();
  feeding_ = true;
  start(watch_.executor(), feed_spool(body, written));
}

void ChildCall::watch_client() {
  if (cancel_on_disconnect_) exchange_.watch_client([this] { child().fail(Errc::client_gone); });
}

void ChildCall::client_lost(const Error& error) {
  if (cancel_on_disconnect_) return child().fail(error);
  child().ignore_output();
}

Task<void> ChildCall::feed_stream() {
  BodySource& body = exchange_.body();
  for (;;) {
    const auto piece = co_await body.next();
    if (stopped_) break;
    if (!piece) {
      child().fail(piece.error());
      break;
    }
    if (piece->empty()) {
      exchange_.timing().body_read = Clock::now();
      watch_client();
      break;
    }
    if (co_await write(*piece)) break;  // it wants no more: no error, and the rest of the body is left unread
  }
  done();
}

Task<void> ChildCall::feed_spool(Spool& body, std::uint64_t offset) {
  while (offset < body.size()) {
    const auto piece = body.read(offset, kPieceBytes);
    if (!piece) child().fail(piece.error());
    if (!piece) break;
    if (co_await write(*piece)) break;
    offset += piece->size();
  }
  done();
}

Task<Error> ChildCall::write(std::string_view piece) {
  fed_bytes_ += piece.size();
  if (fed_bytes_ > kWideBytes && !std::exchange(widened_, true)) child().process().widen_pipes();
  Descriptor& pipe = child().process().input();
  Error error;
  const std::size_t written = pipe.write_some(asio::buffer(piece), error);
  if (error && error != asio::error::would_block) co_return error;
  if (written == piece.size()) co_return Error{};
  auto [failure, count] = co_await asio::async_write(pipe, asio::buffer(piece.substr(written)), no_throw);
  co_return failure;
}

void ChildCall::done() {
  child().process().close_input();
  feeding_ = false;
  fed_.wake(watch_.executor());
}

void ChildCall::stop_feeding() {
  if (std::exchange(stopped_, true) || !feeding_) return;
  child().process().close_input();
  exchange_.body().abandon();
}

Task<void> ChildCall::end() {
  if (child().status() || child().failure()) stop_feeding();
  while (feeding_) co_await fed_.wait();
  watch_.forget(*this);
  exchange_.watch_client(nullptr);
  child().tell_end(nullptr);
  if (!child().failure()) lease_.leave();
}

}  // namespace fwd
