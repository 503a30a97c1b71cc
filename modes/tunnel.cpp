#include "modes/tunnel.hpp"

namespace fwd {

Task<void> Tunnel::run() {
  total_due_ = deadline_after(Clock::now(), limits_.total);
  moved();
  sending_ = true;
  start(watch_.executor(), run_to_upstream());
  co_await to_client();
  while (sending_) co_await sent_.wait();
  watch_.forget(*this);
  close();
}

Task<void> Tunnel::run_to_upstream() {
  co_await to_upstream();
  sending_ = false;
  sent_.wake(watch_.executor());
}

Task<void> Tunnel::to_upstream() {
  for (;;) {
    const auto piece = co_await client_.read();
    if (!piece) co_return close();
    moved();
    if (piece->empty()) co_return upstream_.end_writing();
    const std::string_view pieces[] = {*piece};
    if (co_await upstream_.write(pieces)) co_return close();
  }
}

Task<void> Tunnel::to_client() {
  auto& input = upstream_.input();
  for (;;) {
    Error error;
    if (input.data().empty()) error = co_await input.more();
    if (error == asio::error::eof) co_return client_.end_writing();
    if (error) co_return close();
    moved();
    if (co_await client_.write(input.data())) co_return close();
    input.consume(input.data().size());
  }
}

/// A byte has come, or an end: the limit of idleness begins anew.
void Tunnel::moved() {
  if (limits_.idle <= nanoseconds::zero() && total_due_ == kNever) return;
  watch_.watch(*this, std::min(total_due_, deadline_after(Clock::now(), limits_.idle)));
}

void Tunnel::close() {
  client_.close();
  upstream_.close();
}

}  // namespace fwd
