#include "watchdog/server/sessions.hpp"

namespace fwd {

void Sessions::begin(Socket socket) {
  ++count_;
  start(watch_.executor(), run(std::move(socket)));
}

bool Sessions::end_oldest_idle() {
  if (idle_.empty()) return false;
  Connection& oldest = idle_.front();
  idle_.pop_front();
  oldest.let_go();
  return true;
}

void Sessions::end_all_idle() {
  while (end_oldest_idle()) {
  }
}

void Sessions::cut_all() {
  for (Connection& connection : open_) connection.cut();
}

void Sessions::drain() {
  draining_ = true;
  for (Connection& connection : open_) connection.drain();
}

Task<void> Sessions::run(Socket socket) {
  Connection connection(std::move(socket), watch_);
  if (draining_) connection.drain();
  open_.push_back(connection);
  ServerExchange exchange(connection, date_, options_.limits);
  Error error;
  while (!error) {
    std::string bug;
    try {
      error = co_await serve_one(connection, exchange);
    } catch (const std::exception& failure) {  // the one place: our bugs cost a request, not the process
      bug = failure.what();
    }
    if (!bug.empty()) error = co_await fail(connection, exchange, bug);
    if (!error && !connection.input().empty()) co_await others_first();
  }
  if (error != Errc::client_gone && !exchange.client_closes()) co_await connection.close_lingering();
  --count_;
}

Task<Error> Sessions::fail(Connection& connection, ServerExchange& exchange, const std::string& what) {
  exchange.watch_client(nullptr);
  handler_.failed(what);
  if (exchange.responded()) {
    connection.reset();
    co_return Errc::client_gone;
  }
  exchange.close_after();
  co_await handler_.refuse(exchange, Errc::internal_error);
  co_return Errc::internal_error;
}

/// A client that sends many requests at once waits for its turn after each.
Task<void> Sessions::others_first() {
  Event turn;
  OverdueCall next([&turn, this] { turn.wake(watch_.executor()); });
  watch_.watch(next, Clock::now());
  co_await turn.wait();
}

/// Takes one request and has it answered. Errors end the session: there is no next request.
Task<Error> Sessions::serve_one(Connection& connection, ServerExchange& exchange) {
  Clock::time_point received;
  const auto head_size = co_await read_head(connection, received);
  const Error unread = head_size ? Error{} : head_size.error();
  if (unread == Errc::client_gone || (unread && connection.input().empty())) co_return unread;

  const Error wrong = exchange.begin(unread ? connection.input().size() : *head_size, received);
  if (unread || wrong) exchange.close_after();
  if (unread || wrong) {
    co_await handler_.refuse(exchange, unread ? unread : wrong);
  } else {
    co_await handler_.serve(exchange);
  }
  if (!exchange.finished()) connection.reset();
  co_return exchange.can_go_on() ? Error{} : Error(Errc::draining);
}

Task<Result<std::size_t>> Sessions::read_head(Connection& connection, Clock::time_point& received) {
  if (connection.input().empty()) {
    connection.set_deadline(deadline_after(Clock::now(), options_.keepalive_timeout));
    idle_.push_back(connection);
    const Error error = co_await connection.more();
    connection.leave_idle_list();
    if (error) co_return error;
  }
  received = Clock::now();
  std::size_t searched = 0;
  for (;;) {
    connection.consume(skip_leading_crlf(connection.input()));
    const std::size_t end = find_head_end(connection.input(), searched);
    if (end != std::string_view::npos) co_return end;
    if (searched == 0) connection.set_deadline(deadline_after(received, options_.limits.read_timeout));
    searched = connection.input().size();
    if (const Error error = check_partial_head(connection.input(), options_.limits.head)) co_return error;
    if (const Error error = co_await connection.more()) co_return error;
  }
}

}  // namespace fwd
