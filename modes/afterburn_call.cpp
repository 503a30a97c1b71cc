#include "modes/afterburn_call.hpp"

#include <vector>

namespace fwd {
namespace {

constexpr std::size_t kMostHeldBytes = 1024 * 1024;     // longer answers of text functions go out chunked
constexpr nanoseconds kSettleTime = milliseconds(20);   // a function writes its last bytes together

}  // namespace

AfterburnCall::AfterburnCall(WorkerPool::Lease lease, OverdueWatch& watch, std::string head, Spool body,
                             Options options)
    : lease_(std::move(lease)),
      process_(lease_.process()),
      watch_(watch),
      head_(std::move(head)),
      body_(std::move(body)),
      options_(options),
      writer_(process_.input(), watch, head_, body_) {}

Task<Error> AfterburnCall::relay(Exchange& exchange) {
  if (const Error error = writer_.begin()) co_return co_await worker_lost(error);
  untouched_ = false;
  reader_.start(ResponseReader::for_function(options_.unit));
  OverdueCall expiry([this, &exchange] {
    if (exchange.responded()) return;
    expired_ = true;
    process_.answers().interrupt(watch_.executor());
  });
  watch_.watch(expiry, exchange.deadline());
  co_return co_await read_answer(&exchange);
}

Task<void> AfterburnCall::finish_unheard() {
  expired_ = false;
  (void)co_await read_answer(nullptr);  // whatever it is, nobody is there to be told
}

Task<Error> AfterburnCall::read_answer(Exchange* exchange) {
  auto& answers = process_.answers();
  for (;;) {
    std::string_view input = answers.data();
    const auto step = reader_.next(input);
    if (!step) co_return co_await worker_lost(step.error());
    const std::size_t consumed = answers.data().size() - input.size();
    if (step->part == ResponseReader::Part::need_more) {
      answers.consume(consumed);
      if (const Error error = co_await need_more()) co_return error;
      continue;
    }
    if (const Error error = co_await take_part(exchange, *step, consumed)) co_return error;
    if (done_) co_return client_error_;
  }
}

Task<Error> AfterburnCall::need_more() {
  auto& answers = process_.answers();
  OverdueCall settle([&answers, this] { answers.interrupt(watch_.executor()); });
  if (reader_.may_end_here()) watch_.watch(settle, kSettleTime);
  const Error error = co_await answers.more();
  if (!error) co_return error;
  if (error == asio::error::operation_aborted && !lease_.failure()) {
    if (expired_) co_return Error(Errc::write_timeout);
    reader_.settle_body();
    co_return Error{};
  }
  Error reason = lease_.failure();
  if (!reason) reason = error == asio::error::no_buffer_space ? Errc::worker_protocol : Errc::worker_died;
  co_return co_await worker_lost(reason);
}

Task<Error> AfterburnCall::take_part(Exchange* exchange, ResponseReader::Step step, std::size_t consumed) {
  auto& answers = process_.answers();
  using Part = ResponseReader::Part;
  if (step.part == Part::body) co_return co_await take_body_part(exchange, step.bytes, consumed);
  if (step.part == Part::stray) process_.log().line(FunctionStream::standard_output, step.bytes);
  answers.consume(consumed);
  if (step.part == Part::head) answer_begun(exchange);
  if (step.part != Part::end) co_return Error{};
  if (const Error error = co_await worker_done()) co_return error;
  co_return co_await finish_answer(exchange);
}

void AfterburnCall::answer_begun(Exchange* exchange) {
  writer_.answer_begun();
  if (exchange == nullptr) return;
  exchange->timing().first_byte = Clock::now();
  const auto length = reader_.head().content_length();
  holding_ = options_.unit != LengthUnit::bytes && length.value_or(0) > 0;
  if (!holding_) begin_answer(*exchange, length);
}

void AfterburnCall::begin_answer(Exchange& exchange, std::optional<std::uint64_t> length) {
  const ResponseHead& head = reader_.head();
  Answer answer{.status = head.status(), .reason = head.reason(), .fields = head.fields(), .length = length};
  if (!options_.duration_header) {
    sink_ = &exchange.respond(answer);
    return;
  }
  const Timing& timing = exchange.timing();
  const std::string taken = std::to_string(std::chrono::duration<double>(timing.first_byte - timing.handed_over).count());
  std::vector<Field> fields(answer.fields.begin(), answer.fields.end());
  fields.push_back({"X-Duration-Seconds", taken});
  answer.fields = fields;
  sink_ = &exchange.respond(answer);
}

Task<Error> AfterburnCall::take_body_part(Exchange* exchange, std::string_view piece, std::size_t consumed) {
  auto& answers = process_.answers();
  if (exchange == nullptr) {
    answers.consume(consumed);
    co_return Error{};
  }
  if (holding_) {
    held_.append(piece);
    answers.consume(consumed);
    if (held_.size() <= kMostHeldBytes) co_return Error{};
    holding_ = false;
    begin_answer(*exchange, std::nullopt);
    const std::string begun = std::exchange(held_, {});
    co_return co_await send(begun);
  }
  if (reader_.ended()) {  // the last piece: the worker need not wait until the client has taken it
    held_.assign(piece);
    answers.consume(consumed);
    co_return Error{};
  }
  const Error error = co_await send(piece);
  answers.consume(consumed);
  co_return error;
}

Task<Error> AfterburnCall::send(std::string_view piece) {
  if (!client_error_) client_error_ = co_await sink_->write(piece);
  co_return Error{};  // a client that has gone does not end the call: the worker has to be read to its end
}

Task<Error> AfterburnCall::finish_answer(Exchange* exchange) {
  if (exchange == nullptr) co_return Error{};
  if (holding_) begin_answer(*exchange, held_.size());
  if (!held_.empty()) co_await send(held_);
  if (!client_error_) client_error_ = co_await sink_->finish();
  co_return Error{};
}

/// The answer ended cleanly: was the request read to its end, too? Then the worker is as good as before.
Task<Error> AfterburnCall::worker_done() {
  done_ = true;
  const bool unread = !writer_.complete() || (body_.size() > 0 && writer_.unread() > 0);
  if (!unread) {
    lease_.give_back();
    co_return Error{};
  }
  co_await writer_.stopped();
  lease_.discard(RetireCause::left_request);
  co_return Error{};
}

Task<Error> AfterburnCall::worker_lost(Error error) {
  co_await writer_.stopped();
  lease_.discard(error == Errc::worker_protocol ? RetireCause::broke_protocol : RetireCause::died);
  co_return error;
}

}  // namespace fwd
