#include "modes/request_sender.hpp"

#include "watchdog/http/chunked_decoder.hpp"

namespace fwd {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;  // of a spooled body

}  // namespace

void RequestSender::begin(UpstreamConnection& connection, std::string_view head, std::function<void()> ended) {
  connection_ = &connection;
  head_ = head;
  offset_ = 0;
  complete_ = stopped_ = false;
  Error error;  // an upstream that takes nothing has perhaps answered: the reader will see
  const bool has_body = spooled_ != nullptr ? spooled_->size() > 0 : exchange_.request().has_body();
  if (!has_body) head_.remove_prefix(connection.write_some(head_, error));
  if (!has_body && (error || head_.empty())) {
    complete_ = !error;
    return ended();
  }
  ended_call_ = std::move(ended);
  running_ = true;
  start(watch_.executor(), run());
  const bool waits = running_ && waits_for_client_ && head_.size() == head.size();
  if (waits) head_.remove_prefix(connection.write_some(head_, error));  // a new or idle socket takes any head
}

Task<void> RequestSender::run() {
  co_await send_body();
  running_ = false;
  ended_.wake(watch_.executor());
  if (!stopped_) ended_call_();
}

Task<void> RequestSender::send_body() {
  for (;;) {
    const auto piece = co_await next_piece();
    if (stopped_) co_return;
    if (!piece) {
      client_error_ = piece.error();
      co_return;
    }
    const bool last = piece->empty();
    const Error error = co_await write_piece(*piece);
    if (error || stopped_) co_return;
    complete_ = last;
    if (last) co_return;
  }
}

Task<Result<std::string_view>> RequestSender::next_piece() {
  if (spooled_ != nullptr) {
    auto piece = spooled_->read(offset_, kPieceBytes);
    if (piece) offset_ += piece->size();
    co_return piece;
  }
  if (!exchange_.request().has_body()) co_return std::string_view{};
  waits_for_client_ = true;
  auto piece = co_await exchange_.body().next();
  waits_for_client_ = false;
  if (piece && !piece->empty()) took_body_ = true;
  co_return piece;
}

/// An empty piece is the end.
Task<Error> RequestSender::write_piece(std::string_view piece) {
  front_.assign(head_);
  head_ = {};
  std::string_view tail;
  if (is_chunked() && piece.empty()) front_.append(kLastChunk);
  if (is_chunked() && !piece.empty()) {
    append_chunk_head(front_, piece.size());
    tail = kChunkTail;
  }
  if (front_.empty() && piece.empty()) co_return Error{};
  const std::string_view pieces[] = {front_, piece, tail};
  co_return co_await connection_->write(pieces);
}

void RequestSender::stop() {
  stopped_ = true;
  if (waits_for_client_) exchange_.body().abandon();
}

Task<void> RequestSender::joined() {
  while (running_) co_await ended_.wait();
}

}  // namespace fwd
