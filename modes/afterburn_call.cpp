#include "modes/afterburn_call.hpp"

#include <algorithm>
#include <vector>

namespace fwd {
namespace {

constexpr std::size_t kMostHeldBytes = 1024 * 1024;     // longer answers of text functions go out chunked
constexpr nanoseconds kSettleTime = milliseconds(20);   // a function writes its last bytes together

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

AfterburnCall::AfterburnCall(WorkerPool::Lease lease, OverdueWatch& watch, std::unique_ptr<CallBuffers> buffers,
                             Options options)
    : lease_(std::move(lease)),
      process_(lease_.process()),
      watch_(watch),
      buffers_(std::move(buffers)),
      options_(options),
      writer_(process_.input(), watch, buffers_->head, buffers_->body, buffers_->first),
      reader_(buffers_->reader),
      held_(buffers_->held) {
  held_.clear();
}

Task<Error> AfterburnCall::relay(Exchange& exchange) {
  if (const Error error = begin()) {
    if (lease_.alone()) co_return co_await worker_lost(error);
    lease_.leave();
    co_return error;
  }
  auto& answers = process_.answers();
  reader_.start(ResponseReader::for_function(options_.unit));
  if (process_.log().wants_call_ids()) call_id_ = exchange.request().find("X-Call-Id").value_or("");
  OverdueCall expiry([this, &answers, &exchange] {
    if (exchange.responded()) return;
    expired_ = true;
    if (!lease_.is_first()) return turn_.changed.wake(watch_.executor());
    answers.interrupt(watch_.executor());
  });
  watch_.watch(expiry, exchange.deadline());
  if (!lease_.is_first()) {
    const Error error = co_await turn_come();
    if (error == Errc::deadline_passed) co_return error;
    if (error) co_return co_await worker_lost(error);
  }
  co_return co_await read_answer(&exchange);
}

/// Writes the request, or what the pipe takes of it. After an error not a byte was written.
Error AfterburnCall::begin() {
  auto& answers = process_.answers();
  if (answers.failure() || (lease_.alone() && !answers.data().empty())) return Errc::worker_died;
  if (lease_.pipelined()) lease_.enter(turn_, writer_.size());
  if (const Error error = writer_.begin()) return error;
  untouched_ = false;
  if (lease_.pipelined() && writer_.complete()) lease_.written();
  return {};
}

/// Waits until every request before this one has been answered.
/// Errors: deadline_passed; worker_died or draining once the worker is lost.
Task<Error> AfterburnCall::turn_come() {
  for (;;) {
    if (lease_.lost()) co_return lease_.failure();
    if (expired_) co_return Errc::deadline_passed;
    if (lease_.is_first()) co_return Error{};
    co_await turn_.changed.wait();
  }
}

Task<void> AfterburnCall::finish_unheard() {
  expired_ = false;
  if (const Error error = co_await turn_come()) {
    (void)co_await worker_lost(error);
    co_return;
  }
  (void)co_await read_answer(nullptr);  // whatever it is, nobody is there to be told
}

Task<Error> AfterburnCall::read_answer(Exchange* exchange) {
  auto& answers = process_.answers();
  if (!call_id_.empty()) process_.call_id(call_id_);
  for (;;) {
    std::string_view input = answers.data();
    const auto step = reader_.next(input);
    if (!step) co_return co_await worker_lost(step.error());
    const std::size_t consumed = answers.data().size() - input.size();
    if (step->part == ResponseReader::Part::head && is_stale()) co_return co_await worker_lost(Errc::worker_protocol);
    const std::string_view piece = take_part(exchange, *step);
    if (!piece.empty() && !client_error_) client_error_ = co_await sink_->write(piece);
    answers.consume(consumed);
    if (step->part == ResponseReader::Part::end) break;
    if (step->part != ResponseReader::Part::need_more) continue;
    Error error;
    came_whole_ = false;
    if (sink_ != nullptr) lease_.keep_others_off();
    if (reader_.may_end_here()) {
      error = co_await settled();
    } else {
      error = co_await answers.more();
    }
    if (error) error = why_silent(error);
    if (error == Errc::deadline_passed) co_return error;
    if (error) co_return co_await worker_lost(error);
  }
  if (request_is_read()) {
    lease_.give_back();
  } else {
    co_await writer_.stopped();
    lease_.discard(RetireCause::left_request);
  }
  if (exchange == nullptr) co_return Error{};
  if (holding_) begin_answer(*exchange, held_.size());
  if (!client_error_) client_error_ = co_await sink_->finish(held_);
  co_return client_error_;
}

/// Waits for more of an answer that may be complete: if nothing comes for a while, it is.
Task<Error> AfterburnCall::settled() {
  auto& answers = process_.answers();
  bool quiet = false;
  OverdueCall settle([&answers, &quiet, this] {
    quiet = true;
    answers.interrupt(watch_.executor());
  });
  Error error;
  do {
    quiet = false;
    watch_.watch(settle, kSettleTime);
    error = co_await answers.more();
    if (!quiet || !error) co_return error;
  } while (process_.has_untold_output());
  reader_.settle_body();
  co_return Error{};
}

/// What it means that no more of the answer comes.
Error AfterburnCall::why_silent(const Error& error) {
  if (const Error lost = lease_.failure()) return lost;
  if (error == asio::error::operation_aborted && expired_) return Errc::deadline_passed;
  return error == asio::error::no_buffer_space ? Errc::worker_protocol : Errc::worker_died;
}

/// What of this part the client is to be sent now.
std::string_view AfterburnCall::take_part(Exchange* exchange, const ResponseReader::Step& step) {
  using Part = ResponseReader::Part;
  if (step.part == Part::stray) process_.log().line(FunctionStream::standard_output, without_line_end(step.bytes), call_id_);
  if (step.part == Part::head) answer_begun(exchange);
  if (step.part != Part::body || exchange == nullptr) return {};
  return take_body(*exchange, step.bytes);
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
  const std::string taken =
      std::to_string(std::chrono::duration<double>(timing.first_byte - timing.handed_over).count());
  std::vector<Field> fields(answer.fields.begin(), answer.fields.end());
  fields.push_back({"X-Duration-Seconds", taken});
  answer.fields = fields;
  sink_ = &exchange.respond(answer);
}

/// The last piece is kept, so that the worker need not wait until the client has taken it; and so is every piece of an
/// answer whose length in bytes is not known yet, up to a limit.
std::string_view AfterburnCall::take_body(Exchange& exchange, std::string_view piece) {
  if (holding_ && held_.size() + piece.size() > kMostHeldBytes) {
    holding_ = false;
    begin_answer(exchange, std::nullopt);
    overflow_.swap(held_);
    overflow_.append(piece);
    return overflow_;
  }
  if (!holding_ && !reader_.ended()) return piece;
  held_.append(piece);
  return {};
}

/// Bytes of this request that the function has not read.
std::size_t AfterburnCall::unread() const {
  const std::size_t in_pipe = writer_.unread();
  return in_pipe - static_cast<std::size_t>(std::min<std::uint64_t>(in_pipe, lease_.bytes_behind()));
}

/// The answer ended cleanly; only if the request was read to its end, too, is the worker as good as before.
/// An answer that came whole is judged by the moment of its head: a function that never asked for the body would soon
/// take the rest of it for its next request.
bool AfterburnCall::request_is_read() {
  return writer_.complete() && (came_whole_ ? unread_at_head_ : unread()) == 0;
}

/// An answer that begins before one byte of the request was read is the answer to another one.
bool AfterburnCall::is_stale() {
  unread_at_head_ = unread();
  came_whole_ = true;
  return writer_.complete() && unread_at_head_ >= writer_.size();
}

Task<Error> AfterburnCall::worker_lost(Error error) {
  co_await writer_.stopped();
  lease_.discard(error == Errc::worker_protocol ? RetireCause::broke_protocol : RetireCause::died);
  co_return error;
}

}  // namespace fwd
