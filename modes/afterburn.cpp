#include "modes/afterburn.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "modes/afterburn_call.hpp"
#include "watchdog/http/render.hpp"

namespace fwd {
namespace {

/// Reads an answer that came too late, so that its worker can be used again. Owns the call until then.
Task<void> finish_unheard(std::unique_ptr<AfterburnCall> call) { co_await call->finish_unheard(); }

}  // namespace

Afterburn::Afterburn(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options,
                     AfterburnOptions options)
    : watch_(watch),
      options_(std::move(options)),
      function_log_(log, log_options),
      pool_(watch, reaper, log, function_log_, options_.pool) {}

Task<Error> Afterburn::serve(Exchange& exchange) {
  if (!allows(exchange.request().method())) co_return co_await refuse_method(exchange);
  Spool body(options_.spool);
  const auto length = co_await read_body(exchange, body);
  if (!length) co_return length.error();
  std::string head;
  render_function_request(exchange.request(), *length, head);

  const AfterburnCall::Options call_options{.unit = options_.unit, .duration_header = options_.duration_header};
  for (;;) {
    auto gone = [&exchange] { return exchange.client_gone(); };
    auto lease = co_await pool_.acquire(exchange.deadline(), gone);
    if (!lease) co_return lease.error();
    exchange.timing().handed_over = Clock::now();
    auto call =
        std::make_unique<AfterburnCall>(std::move(*lease), watch_, std::move(head), std::move(body), call_options);
    const Error error = co_await call->relay(exchange);
    if (error == Errc::worker_died && call->untouched()) {  // nobody has seen this request yet
      head = call->take_head();
      body = call->take_body();
      continue;
    }
    if (error == Errc::write_timeout) fwd::start(watch_.executor(), finish_unheard(std::move(call)));
    co_return error;
  }
}

Task<Result<std::uint64_t>> Afterburn::read_body(Exchange& exchange, Spool& body) {
  UnitSum units(options_.unit);
  const bool counts_characters = options_.unit == LengthUnit::codepoints;
  while (exchange.request().has_body()) {
    const auto piece = co_await exchange.body().next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    if (counts_characters) units.feed(*piece);
    if (const Error error = body.append(*piece)) co_return error;
  }
  exchange.timing().body_read = Clock::now();
  if (!counts_characters) co_return body.size();
  if (units.ends_inside_sequence()) co_return Errc::body_unreadable;
  co_return units.units();
}

bool Afterburn::allows(std::string_view method) const {
  if (method == "HEAD") method = "GET";  // as the function gets it
  return options_.methods.empty() || std::ranges::find(options_.methods, method) != options_.methods.end();
}

Task<Error> Afterburn::refuse_method(Exchange& exchange) {
  std::string allowed;
  for (const std::string& method : options_.methods) allowed += allowed.empty() ? method : ", " + method;
  const std::array<Field, 3> fields{
      {{"Content-Type", "text/plain; charset=utf-8"}, {"X-OpenFaaS-Internal", "of-watchdog"}, {"Allow", allowed}}};
  const std::string text = "This function takes " + allowed + " only\n";
  const Answer answer{.status = 405, .fields = fields, .length = text.size()};
  co_return co_await exchange.respond(answer).finish(text);
}

}  // namespace fwd
