#include "watchdog/server/dispatcher.hpp"

#include "watchdog/server/error_answer.hpp"

namespace fwd {
namespace {

constexpr std::string_view kHealthPath = "/_/health";
constexpr std::string_view kReadyPath = "/_/ready";
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

}  // namespace

Task<void> Dispatcher::serve(ServerExchange& exchange) {
  const std::string_view path = exchange.request().path();
  if (path == kHealthPath) {
    (void)co_await serve_health(exchange);  // a probe that has gone needs no answer
  } else if (path == kReadyPath) {
    (void)co_await serve_ready(exchange);
  } else if (metrics_page_ != nullptr && MetricsPage::is_for(exchange.request())) {
    co_await metrics_page_->serve(exchange);
  } else {
    co_await serve_function(exchange);
  }
}

Task<void> Dispatcher::serve_function(ServerExchange& exchange) {
  metrics_.begin();
  Error error = co_await answer(exchange);
  if (error && !exchange.responded()) {
    const std::string text = text_for(error);
    (void)co_await answer_error(exchange, error, mode_.retry_after(), text);  // the log has the reason, not this
  }
  const nanoseconds duration = Clock::now() - exchange.timing().head_read;
  metrics_.end(exchange.request().method(), exchange.status(), duration);
  access_log_.write(exchange, duration, error ? error.message() : std::string());
}

/// A permit is held until the mode is done.
Task<Error> Dispatcher::answer(ServerExchange& exchange) {
  const auto permit = gate_.try_enter();
  if (!permit) co_return permit.error();
  co_return co_await mode_.serve(exchange);
}

std::string Dispatcher::text_for(const Error& error) const {
  if (error != Errc::over_limit) return error.category() == fwd_category() ? error.message() : "internal error";
  return "Concurrent request limit exceeded. Max concurrent requests: " + std::to_string(gate_.limit());
}

Task<Error> Dispatcher::serve_health(ServerExchange& exchange) {
  if (exchange.request().method() != "GET") co_return co_await answer_text(exchange, 405, "");
  const bool healthy = health_.is_healthy(Clock::now());
  co_return co_await answer_text(exchange, healthy ? 200 : 503, healthy ? "OK" : "");
}

Task<Error> Dispatcher::serve_ready(ServerExchange& exchange) {
  if (exchange.request().method() != "GET") co_return co_await answer_text(exchange, 405, "");
  if (!health_.is_ready()) co_return co_await answer_text(exchange, 503, "");
  co_return co_await answer_text(exchange, gate_.is_full() ? 429 : 200, "");
}

Task<void> Dispatcher::refuse(ServerExchange& exchange, Error error) {
  const std::string text = text_for(error);
  (void)co_await answer_error(exchange, error, seconds(1), text);  // the connection ends either way
}

Task<void> MetricsPage::serve(ServerExchange& exchange) {
  if (!is_for(exchange.request()) || exchange.request().method() != "GET") {
    (void)co_await answer_text(exchange, 404, "404 page not found\n");  // a scraper that has gone needs no answer
    co_return;
  }
  std::string text;
  requests_.append_to(text);
  append_process_metrics(text);
  more_(text);
  const Field type{"Content-Type", kMetricsType};
  const Answer answer{.fields = {&type, 1}, .length = text.size()};
  BodySink& sink = exchange.respond(answer);
  if (co_await sink.write(text)) co_return;
  (void)co_await sink.finish();
}

Task<void> MetricsPage::refuse(ServerExchange& exchange, Error error) {
  (void)co_await answer_error(exchange, error, seconds(1), {});
}

}  // namespace fwd
