// How ServerExchange reads the body of its request.
#include <algorithm>

#include "watchdog/server/server_exchange.hpp"

namespace fwd {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Task<Result<std::string_view>> ServerExchange::next() {
  connection_.consume(std::exchange(taken_, 0));
  if (request_.chunked()) co_return co_await next_chunk();
  if (body_left_ == 0) co_return std::string_view{};
  if (connection_.input().empty()) {
    if (const Error error = co_await more_body()) co_return error;
  }
  const auto piece = connection_.input().substr(0, static_cast<std::size_t>(
                                                       std::min<std::uint64_t>(body_left_, connection_.input().size())));
  taken_ = piece.size();
  body_left_ -= piece.size();
  co_return piece;
}

Task<Result<std::string_view>> ServerExchange::next_chunk() {
  while (!chunks_.done()) {
    std::string_view input = connection_.input();
    const std::size_t before = input.size();
    const auto piece = chunks_.next(input);
    if (!piece) co_return piece.error();
    if (piece->empty()) {
      connection_.consume(before - input.size());
      if (chunks_.done()) break;
      if (const Error error = co_await more_body()) co_return error;
      continue;
    }
    taken_ = before - input.size();
    body_read_ += piece->size();
    if (limits_.max_body_bytes != 0 && body_read_ > limits_.max_body_bytes) co_return Errc::body_too_large;
    co_return *piece;
  }
  co_return std::string_view{};
}

Task<Error> ServerExchange::more_body() {
  if (!invited_ && !head_sent_ && request_.expects_continue()) {
    if (const Error error = co_await invite_body()) co_return error;
  }
  const Deadline write_end = deadline_after(timing_.head_read, limits_.write_timeout);
  const Deadline read_end = deadline_after(timing_.received, limits_.read_timeout);
  for (;;) {
    connection_.set_deadline(std::min(read_end, head_sent_ ? write_end : deadline_));
    const Error error = co_await connection_.more();
    connection_.set_deadline(write_end);
    const auto now = Clock::now();
    if (error != Errc::request_timeout || abandoned_ || now < deadline_) co_return error;
    if (!head_sent_) co_return Errc::deadline_passed;
    if (now >= read_end || now >= write_end) co_return error;  // else the answer has begun meanwhile: read on
  }
}

Task<Error> ServerExchange::invite_body() {
  invited_ = true;
  const std::string_view pieces[] = {kContinue};
  co_return co_await connection_.write(pieces);
}

/// The rest of the request's body has been read already.
bool ServerExchange::body_is_here() const {
  if (request_.chunked()) return chunks_.done();
  return body_left_ <= connection_.input().size() - taken_;
}

}  // namespace fwd
