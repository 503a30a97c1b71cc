#include "modes/streaming.hpp"

namespace fwd {
namespace {

constexpr nanoseconds kJoinTime = milliseconds(2);   // what a short answer's end may take, so that it has a length
constexpr std::size_t kMostHeldBytes = 64 * 1024;    // what a client of HTTP/1.0 may get with a length
constexpr nanoseconds kExitTime = milliseconds(100);  // from the end of its output to the end of the process

}  // namespace

Task<Error> Streaming::serve(Exchange& exchange) {
  std::optional<std::uint64_t> length = exchange.request().content_length();
  if (!exchange.request().has_body()) length = 0;
  Spool body(options().spool);
  const bool spooled = !length && options().cgi_flavour == CgiFlavour::rfc3875;  // CGI knows no chunks, only lengths
  if (spooled) {
    if (const Error error = co_await read_body(exchange, body)) co_return error;
    length = body.size();
  }
  auto lease = co_await acquire(exchange, length);
  if (!lease) co_return co_await cannot_start(exchange, lease.error(), {});
  ChildCall call(exchange, std::move(*lease), watch(), options().cancel_on_disconnect);
  if (spooled) {
    call.send(body);
  } else {
    call.stream_body();
  }
  const Error error = co_await relay(exchange, call);
  co_await call.end();
  co_return error;
}

Task<Error> Streaming::relay(Exchange& exchange, ChildCall& call) {
  OutputHead head(options().cgi_response, options().content_type);
  const Error error = co_await hold(exchange, call.child(), head);
  if (error == asio::error::eof) co_return co_await answer_whole(exchange, call, head);
  if (error) co_return error;
  BodySink& sink = exchange.respond(head.answer(std::nullopt));
  co_return co_await pass_on(sink, call, head.body());
}

/// Waits until the answer has to begin: its head is known, and it is long or takes its time.
/// Errors: eof once the whole output is here.
Task<Error> Streaming::hold(Exchange& exchange, Child& child, OutputHead& head) {
  const bool needs_length = exchange.request().asks_keep_alive_1_0();
  auto& answers = child.process().answers();
  bool late = false;
  OverdueCall join_time([&late, &child] {
    late = true;
    child.interrupt();
  });
  while (!head.decided() || (!late && head.body().size() + answers.data().size() < kMostHeldBytes)) {
    const Error error = co_await child.more_output();
    if (error == asio::error::eof) head.end();
    if (error && error != asio::error::operation_aborted) co_return error;
    if (error) continue;
    if (exchange.timing().first_byte == Clock::time_point{}) {
      exchange.timing().first_byte = Clock::now();
      if (!needs_length) watch().watch(join_time, kJoinTime);
    }
    if (head.decided()) continue;
    const Error wrong = head.feed(answers.data());
    answers.consume(answers.data().size());
    if (wrong) child.fail(wrong);
  }
  co_return Error{};
}

/// Nothing was sent yet, so how the process ended still decides what is answered.
Task<Error> Streaming::answer_whole(Exchange& exchange, ChildCall& call, OutputHead& head) {
  Child& child = call.child();
  co_await child.ended(Clock::now() + kExitTime);
  if (child.failure()) co_return child.failure();
  if (child.status() && child.status()->code() != 0) {
    const std::string text = child.status()->text();
    log().say("The function has failed: " + text);
    co_return co_await answer_failure(exchange, 500, text, {});
  }
  const std::string_view rest = child.process().answers().data();
  BodySink& sink = exchange.respond(head.answer(head.body().size() + rest.size()));
  Error lost = co_await sink.write(head.body());
  if (!lost) lost = co_await sink.finish(rest);
  if (lost) call.client_lost(lost);
  co_return lost;
}

/// Sends the output as it comes. A process that fails leaves its client with an answer that is cut.
Task<Error> Streaming::pass_on(BodySink& sink, ChildCall& call, std::string_view front) {
  Child& child = call.child();
  auto& answers = child.process().answers();
  Error lost = co_await sink.write(front);
  while (!lost) {
    lost = co_await sink.write(answers.data());
    answers.consume(answers.data().size());
    if (lost) break;
    const Error error = co_await child.more_output();
    if (error == asio::error::eof) break;
    if (child.failure()) co_return child.failure();
  }
  if (lost) {
    call.client_lost(lost);
    co_return lost;
  }
  co_await child.ended(Clock::now() + kExitTime);
  if (child.failure()) co_return child.failure();
  if (!child.status() || child.status()->code() == 0) co_return co_await sink.finish({});
  log().say("The function has failed behind the head of its answer: " + child.status()->text());
  co_return Errc::worker_died;
}

}  // namespace fwd
