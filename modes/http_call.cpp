#include "modes/http_call.hpp"

#include <algorithm>
#include <string>

#include "modes/tunnel.hpp"
#include "modes/upstream_request.hpp"

namespace fwd {
namespace {

constexpr std::string_view kDuration = "X-Duration-Seconds";
constexpr nanoseconds kHeadPatience = milliseconds(2);  // most servers write the body right behind the head
constexpr int kEarlyHints = 103;
constexpr int kSwitching = 101;

ResponseReader::Options reader_options(const RequestHead& request, bool upgrade) {
  ResponseReader::Options options;
  options.bodiless_request = request.method() == "HEAD";
  options.until_eof_allowed = true;
  options.switching_allowed = upgrade;
  options.chunk_lines = ChunkedDecoder::Leniency::bare_lf;
  return options;
}

/// `0.001234`, as printf's %f has it, for a twentieth of the price.
std::string seconds_text(nanoseconds length) {
  constexpr std::uint64_t kMicros = 1'000'000;
  const auto micros = static_cast<std::uint64_t>(std::chrono::round<std::chrono::microseconds>(length).count());
  std::string text = std::to_string(kMicros + micros % kMicros);  // a 1 in front keeps the zeros
  return std::to_string(micros / kMicros) + '.' + text.erase(0, 1);
}

}  // namespace

HttpCall::HttpCall(Exchange& exchange, OverdueWatch& watch, const HttpCallOptions& options, HttpCallBuffers& buffers,
                   TunnelCounts& tunnels, bool spooled)
    : exchange_(exchange),
      watch_(watch),
      options_(options),
      buffers_(buffers),
      reader_(buffers.reader),
      tunnels_(tunnels),
      spooled_(spooled),
      upgrade_(asks_for_upgrade(exchange.request())),
      sender_(watch, exchange, spooled ? &buffers.body : nullptr) {}

Task<Error> HttpCall::relay(Upstream& upstream) {
  if (!std::exchange(begun_, true)) {
    exchange_.timing().handed_over = Clock::now();
    total_due_ = deadline_after(exchange_.timing().handed_over, options_.timeouts.total);
  }
  Upstream::Use use(upstream);
  render(use.url());
  const bool repeatable = may_be_repeated(exchange_.request());
  for (bool fresh = false;; fresh = true) {
    if (!fresh) connection_ = use.take_idle(!repeatable);
    if (fresh || !connection_) {
      connection_ = use.make();
      begin_phase(options_.timeouts.connect);
      if (spooled_ || !exchange_.request().has_body()) watch_client();  // a full backlog may take its time
      const Error error = co_await connection_->connect(use.url());
      watch_.forget(*this);
      exchange_.watch_client(nullptr);
      if (failure_) co_return failure_;
      if (error) co_return error;
    }
    const bool reused = connection_->reused();
    const Error error = co_await attempt(use);
    const bool stale = error == Errc::worker_died && reused && !heard_ && !failure_;
    if (!stale || !repeatable || sender_.took_body()) co_return error;
  }
}

void HttpCall::render(const UpstreamUrl& url) {
  const RequestHead& request = exchange_.request();
  UpstreamRequest extras;
  extras.prefix = url.prefix;
  const std::string authority = request.host().empty() ? url.authority() : std::string();
  extras.authority = authority;
  extras.client_address = exchange_.peer().address;
  extras.traceparent = exchange_.traceparent();
  if (spooled_) extras.length = buffers_.body.size();
  extras.upgrade = upgrade_;
  render_upstream_request(request, extras, buffers_.head);
}

/// The request over one connection. That is kept, or closed, before this returns; the sender runs no more.
Task<Error> HttpCall::attempt(Upstream::Use& use) {
  heard_ = false;
  reader_.start(reader_options(exchange_.request(), upgrade_));
  begin_phase(options_.timeouts.first_byte);
  sender_.begin(*connection_, buffers_.head, [this] { sender_ended(); });
  Error error = co_await read_answer();
  if (heard_ && !error) use.answered();
  watch_.forget(*this);
  exchange_.watch_client(nullptr);
  // Its answer to half a request: what we still send would get in between.
  if (!error && switched_ && !sender_.complete()) error = Errc::worker_protocol;
  if (!error && switched_) co_return co_await tunnel();
  // Applications that send a body to HEAD all the same: it would be the beginning of the next answer.
  const bool is_head = exchange_.request().method() == "HEAD";
  const bool keeps =
      !error && sender_.complete() && !is_head && !reader_.head().closes() && reader_.head().minor_version() == 1;
  if (!keeps) connection_->close();
  sender_.stop();
  co_await sender_.joined();
  if (keeps) use.give_back(std::move(connection_));
  co_return failure_ ? failure_ : error ? error : client_error_;
}

/// The request is out, or never will be.
void HttpCall::sender_ended() {
  if (sender_.client_error()) return abort(sender_.client_error());
  if (sender_.complete() && !finished_) watch_client();
}

/// Whoever leaves is not worked for. Only once its body was read to the end.
void HttpCall::watch_client() {
  if (options_.cancel_on_disconnect) exchange_.watch_client([this] { abort(Errc::client_gone); });
}

/// A piece is held until what follows it is known: the last one goes out together with the end.
Task<Error> HttpCall::read_answer() {
  auto& input = connection_->input();
  std::string_view held;
  std::size_t taken = 0;  // of the input
  while (!reader_.ended() && !switched_) {
    std::string_view bytes = input.data().substr(taken);
    const auto step = reader_.next(bytes);
    if (!step) co_return step.error();
    taken = input.data().size() - bytes.size();
    using Part = ResponseReader::Part;
    Error error;
    if (step->part == Part::need_more || (step->part == Part::body && !held.empty())) error = co_await send(held);
    held = step->part == Part::body ? step->bytes : held;
    if (step->part == Part::head) begin_answer();
    if (step->part == Part::interim) error = co_await inform();
    if (step->part == Part::need_more) {
      held = {};
      input.consume(std::exchange(taken, 0));
      if (!error) error = co_await more();
    }
    if (error) co_return error;
  }
  const Error error = co_await finish(held);
  input.consume(taken);
  co_return error;
}

void HttpCall::begin_answer() {
  const ResponseHead& head = reader_.head();
  exchange_.timing().first_byte = Clock::now();
  if (head.status() == kSwitching) {
    switched_ = true;
    return;
  }
  Answer answer{.status = head.status(), .reason = head.reason(), .fields = head.fields(), .length = head.content_length()};
  std::string taken;
  if (options_.duration_header) {
    const Timing& timing = exchange_.timing();
    taken = seconds_text(timing.first_byte - timing.handed_over);
    buffers_.fields.clear();
    for (const Field& field : head.fields())
      if (!same_name(field.name, kDuration)) buffers_.fields.push_back(field);
    buffers_.fields.push_back({kDuration, taken});
    answer.fields = buffers_.fields;
  }
  sink_ = &exchange_.respond(answer);
  phase_due_ = kNever;
}

/// 103 goes to the client; 100 is for us, who did not ask for it; others say nothing that could be passed on.
Task<Error> HttpCall::inform() {
  const ResponseHead& head = reader_.head();
  if (head.status() != kEarlyHints) co_return Error{};
  const Answer answer{.status = head.status(), .reason = head.reason(), .fields = head.fields()};
  client_error_ = co_await exchange_.inform(answer);
  co_return options_.cancel_on_disconnect ? client_error_ : Error{};
}

/// An error ends the call, unless the function is to finish for nobody.
Task<Error> HttpCall::send(std::string_view piece) {
  if (piece.empty() || client_error_) co_return Error{};
  client_error_ = co_await sink_->write(piece);
  co_return options_.cancel_on_disconnect ? client_error_ : Error{};
}

Task<Error> HttpCall::finish(std::string_view last) {
  if (switched_ || client_error_) co_return Error{};
  finished_ = true;
  client_error_ = co_await sink_->finish(last);
  co_return Error{};
}

/// Waits for more of the answer; sends its head, if that has waited alone for long enough.
Task<Error> HttpCall::more() {
  auto& input = connection_->input();
  const bool in_body = sink_ != nullptr;
  if (in_body && !exchange_.responded() && !client_error_) head_due_ = Clock::now() + kHeadPatience;
  if (in_body && (head_due_ != kNever || options_.timeouts.idle > nanoseconds::zero()))
    begin_phase(options_.timeouts.idle);
  if (in_body) connection_->acknowledge();
  const Error error = co_await input.more();
  head_due_ = kNever;
  if (in_body) phase_due_ = kNever;  // the client may take its time
  if (!error) {
    heard_ = true;
    co_return error;
  }
  if (failure_) co_return failure_;
  if (error == asio::error::operation_aborted && std::exchange(head_waits_too_long_, false)) {
    client_error_ = co_await sink_->flush();
    co_return options_.cancel_on_disconnect ? client_error_ : Error{};
  }
  if (error == asio::error::eof) co_return reader_.at_eof();
  co_return error == asio::error::no_buffer_space ? Errc::worker_protocol : Errc::worker_died;
}

Task<Error> HttpCall::tunnel() {
  const ResponseHead& head = reader_.head();
  const Answer answer{.status = head.status(), .reason = head.reason(), .fields = head.fields()};
  const auto client = co_await exchange_.upgrade(answer);
  if (!client) {
    connection_->close();
    co_return client.error();
  }
  ++tunnels_.opened;
  ++tunnels_.open;
  const Tunnel::Limits limits{.idle = options_.tunnel_idle, .total = options_.tunnel_total};
  Tunnel both_ways(watch_, **client, *connection_, limits);
  co_await both_ways.run();
  --tunnels_.open;
  co_return Error{};
}

void HttpCall::begin_phase(nanoseconds limit) {
  phase_due_ = limit > nanoseconds::zero() ? deadline_after(Clock::now(), limit) : kNever;
  watch_.watch(*this, next_due());
}

Deadline HttpCall::next_due() const {
  const Deadline answer_due = exchange_.responded() ? kNever : exchange_.deadline();
  return std::min({phase_due_, total_due_, head_due_, answer_due});
}

/// The earliest of what is due has been reached, unless it moved on.
void HttpCall::overdue() {
  const auto now = Clock::now();
  if (head_due_ <= now) {
    head_due_ = kNever;
    head_waits_too_long_ = true;
    connection_->input().interrupt(watch_.executor());
  }
  const bool too_long = std::min(phase_due_, total_due_) <= now;
  if (too_long || (!exchange_.responded() && exchange_.deadline() <= now))
    return abort(too_long ? Errc::exec_timeout : Errc::deadline_passed);
  watch_.watch(*this, next_due());
}

/// Ends every wait of this call; the first reason counts.
void HttpCall::abort(const Error& why) {
  if (!failure_) failure_ = why;
  connection_->close();
  sender_.stop();
}

}  // namespace fwd
