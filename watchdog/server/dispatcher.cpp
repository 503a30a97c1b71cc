#include "watchdog/server/dispatcher.hpp"

#include "watchdog/server/error_answer.hpp"
#include "watchdog/server/ready_exchange.hpp"

namespace fwd {
namespace {

constexpr std::string_view kHealthPath = "/_/health";
constexpr std::string_view kReadyPath = "/_/ready";

/// Since the head was read, with six decimals as in answers of functions.
std::string seconds_text(ServerExchange& exchange) {
  return std::to_string(std::chrono::duration<double>(Clock::now() - exchange.timing().head_read).count());
}

}  // namespace

Task<void> Dispatcher::serve(ServerExchange& exchange) {
  const std::string_view path = exchange.request().path();
  if (path == kHealthPath) return serve_health(exchange);
  if (path == kReadyPath) return serve_ready(exchange);
  if (metrics_page_ != nullptr && metrics_page_->is_for(exchange.request())) return metrics_page_->serve(exchange);
  return serve_function(exchange);
}

Task<void> Dispatcher::serve_function(ServerExchange& exchange) {
  metrics_.begin();
  Error error = admit(exchange);
  const bool admitted = !error;
  bool asked = false;
  if (admitted) {
    const auto permit = gate_.try_enter();  // held until the mode is done
    error = permit.error();
    asked = !error;
    if (permit) error = co_await mode_.serve(exchange);
  }
  const bool told = !error || exchange.finished();  // the mode has answered the error by itself
  if (error && error != Errc::client_gone && !exchange.responded()) {
    const std::string text = text_for(error);
    const std::string taken = asked && options_.duration_header ? seconds_text(exchange) : std::string();
    (void)co_await answer_error(exchange, error, mode_.retry_after(), text, taken);  // the log has the reason, not this
  }
  if (error == Errc::client_gone && exchange.timed_out()) error = Errc::write_timeout;
  const nanoseconds duration = Clock::now() - exchange.timing().head_read;
  metrics_.end(exchange.request().method(), exchange.status(), duration);
  if (error) metrics_.count(error);
  access_log_.write(exchange, duration, told ? std::string() : error.message());
  if (admitted && options_.after_one) options_.after_one();
}

/// Of an instance for one request, only the first is taken.
/// Errors: draining.
Error Dispatcher::admit(ServerExchange& exchange) {
  if (!options_.after_one) return {};
  health_.drain();
  exchange.close_after();
  return std::exchange(one_taken_, true) ? Error(Errc::draining) : Error{};
}

std::string Dispatcher::text_for(const Error& error) const {
  if (error == Errc::draining && options_.after_one) return "watchdog is draining after serving a request";
  if (error != Errc::over_limit) return error.category() == fwd_category() ? error.message() : "internal error";
  return "Concurrent request limit exceeded. Max concurrent requests: " + std::to_string(gate_.limit());
}

Task<void> Dispatcher::serve_health(ServerExchange& exchange) {
  const bool is_get = exchange.request().method() == "GET";
  const bool healthy = health_.is_healthy(Clock::now());
  const int status = !is_get ? 405 : healthy ? 200 : 503;
  (void)co_await answer_text(exchange, status, status == 200 ? "OK" : "");  // a probe that has gone needs no answer
}

Task<void> Dispatcher::serve_ready(ServerExchange& exchange) {
  const bool is_get = exchange.request().method() == "GET";
  const int status = !is_get ? 405 : !health_.is_ready() ? 503 : gate_.is_full() ? 429 : 200;
  if (status == 200 && !options_.ready_path.empty()) {
    co_await ask_ready(exchange);
  } else {
    (void)co_await answer_text(exchange, status, "");
  }
}

/// Past the limit, the log and the metrics: a probe is none of the function's requests.
Task<void> Dispatcher::ask_ready(ServerExchange& exchange) {
  ReadyExchange ready(exchange, options_.ready_path);
  Error error = ready.error();
  if (!error) error = co_await mode_.serve(ready);
  if (!error || error == Errc::client_gone || exchange.responded()) co_return;
  const std::string text = text_for(error);
  (void)co_await answer_error(exchange, error, mode_.retry_after(), text);
}

Task<void> Dispatcher::refuse(ServerExchange& exchange, Error error) {
  metrics_.count(error);
  const std::string text = text_for(error);
  (void)co_await answer_error(exchange, error, seconds(1), text);  // the connection ends either way
}

}  // namespace fwd
