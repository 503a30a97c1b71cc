#include "modes/serializing.hpp"

#include "modes/child_call.hpp"

namespace fwd {

Task<Error> Serializing::serve(Exchange& exchange) {
  Spool body(options().spool), output(options().spool);
  if (const Error error = co_await read_body(exchange, body)) co_return error;
  auto lease = co_await acquire(exchange, body.size());
  if (!lease) co_return co_await cannot_start(exchange, lease.error(), {});
  ChildCall call(exchange, std::move(*lease), watch(), options().cancel_on_disconnect);
  call.send(body);
  const Error error = co_await collect(exchange, call.child(), output);
  const auto status = call.child().status();
  co_await call.end();
  if (error) co_return error;

  std::string duration;
  if (options().duration_header) duration = duration_text(exchange);
  if (status->code() == 0)
    co_return co_await answer_output(exchange, output, options().content_type, std::move(duration));
  log().say("The function has failed: " + status->text());
  const std::string text = status->text();
  co_return co_await answer_failure(exchange, 500, text, duration);
}

}  // namespace fwd
