#include "modes/afterburn.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "modes/afterburn_call.hpp"
#include "watchdog/http/render.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLargestSpare = 64 * 1024;

/// Reads an answer that came too late, so that its worker can be used again. Owns the call until then.
Task<void> finish_unheard(std::unique_ptr<AfterburnCall> call) { co_await call->finish_unheard(); }

}  // namespace

Afterburn::Afterburn(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options,
                     AfterburnOptions options)
    : watch_(watch),
      options_(std::move(options)),
      function_log_(log, log_options),
      pool_(watch, reaper, log, function_log_, options_.pool) {}

Afterburn::~Afterburn() = default;

FunctionStats Afterburn::stats() const {
  const WorkerPoolCounts& counts = pool_.counts();
  FunctionStats stats;
  stats.queued = pool_.queued();
  stats.busy = pool_.busy();
  stats.idle = pool_.up() - std::min(pool_.busy(), pool_.up());
  stats.down = pool_.size() - pool_.up();
  stats.started = counts.started;
  stats.start_failures = counts.start_failures;
  stats.losses.died = counts.died;
  stats.losses.overdue = counts.overdue;
  stats.losses.broke_protocol = counts.broke_protocol;
  stats.losses.stray_output = counts.stray_output;
  stats.losses.max_requests = counts.max_requests;
  stats.losses.max_lifetime = counts.max_lifetime;
  stats.losses.max_rss = counts.max_rss;
  stats.wait = counts.wait;
  stats.spawn = counts.spawn;
  return stats;
}

Task<Error> Afterburn::serve(Exchange& exchange) {
  if (!allows(exchange.request().method())) co_return co_await refuse_method(exchange);
  auto buffers = take_buffers();
  const auto length = co_await read_body(exchange, buffers->body);
  Error error = length ? Error{} : length.error();
  if (!error) {
    render_function_request(exchange.request(), *length, buffers->head, exchange.traceparent());
    error = co_await ask(exchange, buffers);
  }
  if (buffers) give_back(std::move(buffers));
  co_return error;
}

/// Takes `buffers` away only when the worker still has to be heard to its end.
Task<Error> Afterburn::ask(Exchange& exchange, std::unique_ptr<CallBuffers>& buffers) {
  const AfterburnCall::Options call_options{.unit = options_.unit, .duration_header = options_.duration_header};
  const bool fits = PipeWriter::is_one_write(buffers->head.size(), buffers->body.size());
  const Placement placement = fits && options_.pool.pipeline > 1 ? Placement::behind_others : Placement::alone;
  for (;;) {
    std::function<bool()> gone = [&exchange] { return exchange.client_gone(); };
    auto lease = co_await pool_.acquire(exchange.deadline(), std::move(gone), placement);
    if (!lease) co_return lease.error();
    exchange.timing().handed_over = Clock::now();
    auto call = std::make_unique<AfterburnCall>(std::move(*lease), watch_, std::move(buffers), call_options);
    const Error error = co_await call->relay(exchange);
    if (error == Errc::deadline_passed) {
      fwd::start(watch_.executor(), finish_unheard(std::move(call)));
      co_return error;
    }
    buffers = call->take_buffers();
    const bool unseen = error == Errc::worker_died && call->untouched();  // another worker may have this request
    if (!unseen) co_return error;
  }
}

std::unique_ptr<CallBuffers> Afterburn::take_buffers() {
  if (spare_.empty()) return std::make_unique<CallBuffers>(options_.spool);
  auto buffers = std::move(spare_.back());
  spare_.pop_back();
  return buffers;
}

/// Keeps as many as there can be calls at once, unless their bodies were large.
void Afterburn::give_back(std::unique_ptr<CallBuffers> buffers) {
  if (spare_.size() >= pool_.size() * options_.pool.pipeline || buffers->body.size() + buffers->held.size() > kLargestSpare) return;
  buffers->body.clear();
  spare_.push_back(std::move(buffers));
}

Task<Result<std::uint64_t>> Afterburn::read_body(Exchange& exchange, Spool& body) {
  UnitSum units(options_.unit);
  const bool counts_characters = options_.unit == LengthUnit::codepoints;
  const RequestHead& request = exchange.request();
  while (request.has_body() && request.content_length() != body.size()) {
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
