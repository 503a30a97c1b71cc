#include "watchdog/server/metrics_page.hpp"

#include "watchdog/server/error_answer.hpp"

namespace fwd {
namespace {

constexpr std::string_view kType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

}  // namespace

Task<void> MetricsPage::serve(ServerExchange& exchange) {
  const std::string_view method = exchange.request().method();
  if (!is_for(exchange.request()) || (method != "GET" && method != "HEAD")) {
    (void)co_await answer_text(exchange, 404, "404 page not found\n");  // a scraper that has gone needs no answer
    co_return;
  }
  std::string text;
  requests_.append_to(text);
  append_process_metrics(text);
  more_(text);
  const Field type{"Content-Type", kType};
  const Answer answer{.fields = {&type, 1}, .length = text.size()};
  (void)co_await exchange.respond(answer).finish(text);
}

Task<void> MetricsPage::refuse(ServerExchange& exchange, Error error) {
  (void)co_await answer_error(exchange, error, seconds(1), {});
}

}  // namespace fwd
