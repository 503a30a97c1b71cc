#include "modes/classic.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "modes/child_call.hpp"
#include "modes/marshalled_request.hpp"
#include "watchdog/process/line_splitter.hpp"

namespace fwd {
namespace {

constexpr std::size_t kMostErrorBytes = 64 * 1024;   // of stderr, where it is logged after the end
constexpr std::size_t kMostDebugBytes = 256 * 1024;  // of an output that goes to the log, too

bool is_served(std::string_view method) {
  constexpr std::array<std::string_view, 5> kMethods = {"POST", "PUT", "PATCH", "DELETE", "GET"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

OneShotOptions for_one_shot(const ClassicOptions& options) {
  OneShotOptions result = options.one_shot;
  result.children.merge_error = options.combine_output;
  result.children.keep_error_bytes = options.combine_output ? 0 : kMostErrorBytes;
  return result;
}

/// `[in] X-A=[1 2]` for each name, in their order. Source: Go's fmt of http.Header.
void log_fields(Log& log, std::string_view direction, std::span<const Field> fields) {
  std::map<std::string, std::string> values;
  for (const Field& field : fields) {
    std::string name;
    append_canonical(name, field.name);
    if (name == "Host") continue;  // Go keeps it elsewhere
    std::string& text = values[name];
    if (!text.empty()) text += ' ';
    text += field.value;
  }
  for (const auto& [name, text] : values) {
    std::string line(direction);
    line.append(" ").append(name).append("=[").append(text).append("]");
    log.relay_bare(FunctionStream::standard_output, line);
  }
}

Task<Error> answer_bare(Exchange& exchange, int status, std::string_view text) {
  const std::array<Field, 1> fields{{{"X-OpenFaaS-Internal", "of-watchdog"}}};
  const Answer answer{.status = status, .fields = fields, .length = text.size()};
  co_return co_await exchange.respond(answer).finish(text);
}

}  // namespace

Classic::Classic(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, ClassicOptions options)
    : OneShot(watch, reaper, log, log_options, for_one_shot(options)), options_(std::move(options)) {}

Task<Error> Classic::serve(Exchange& exchange) {
  const RequestHead& request = exchange.request();
  if (!is_served(request.method())) co_return co_await answer_bare(exchange, 405, {});
  if (options_.debug_headers) log_fields(log(), "[in]", request.fields());
  Spool body(OneShot::options().spool), marshalled(OneShot::options().spool);
  Error error = co_await read_body(exchange, body);
  if (error == Errc::request_timeout) {
    const std::string text = error.message() + '\n';
    co_return co_await answer_bare(exchange, 400, text);
  }
  if (!error && options_.marshal_request) error = append_marshalled_request(request, body, marshalled);
  if (error) co_return error;
  co_return co_await ask(exchange, options_.marshal_request ? marshalled : body);
}

Task<Error> Classic::ask(Exchange& exchange, Spool& input) {
  log().say("Forking fprocess.");
  if (options_.write_debug) log().say("Query  " + std::string(exchange.request().query()));
  if (options_.write_debug) log().say("Path  " + std::string(exchange.request().path()));
  auto lease = co_await acquire(exchange, input.size());
  if (!lease) co_return co_await cannot_start(exchange, lease.error(), "\n");
  Spool output(OneShot::options().spool);
  ChildCall call(exchange, std::move(*lease), watch(), OneShot::options().cancel_on_disconnect);
  call.send(input);
  const Error error = co_await collect(exchange, call.child(), output);
  const auto status = call.child().status();
  const std::string errors = call.child().log().kept();
  co_await call.end();
  const std::string_view call_id = exchange.request().find("X-Call-Id").value_or("");
  if (!errors.empty()) log().relay(FunctionStream::standard_error, errors.substr(0, errors.size() - 1), call_id);
  if (error == Errc::exec_timeout) {
    log().say("Killing process: " + command_text());
    const Error unsent = co_await answer_bare(exchange, 408, "Killed process.\n");
    co_return unsent ? unsent : error;  // answered here; the caller counts it
  }
  if (error) co_return error;
  if (status->code() == 0) co_return co_await answer(exchange, output);
  std::string text = status->text();
  co_return co_await answer_failed(exchange, std::move(text), output);
}

Task<Error> Classic::answer(Exchange& exchange, Spool& output) {
  const std::string duration = duration_text(exchange);
  std::string_view type = OneShot::options().content_type;
  if (type.empty()) type = exchange.request().find("Content-Type").value_or("");
  if (options_.write_debug) log_output(output);
  if (options_.debug_headers) {
    const std::array<Field, 2> fields{{{"X-Duration-Seconds", duration}, {"Content-Type", type}}};
    log_fields(log(), "[out]", std::span(fields).first(type.empty() ? 1 : 2));
  }
  const std::string size = std::to_string(output.size());
  log().say(options_.write_debug ? "Duration: " + duration + "s"
                                 : "Wrote " + size + " Bytes - Duration: " + duration + "s");
  std::string shown;
  if (OneShot::options().duration_header) shown = duration;
  co_return co_await answer_output(exchange, output, type, std::move(shown));
}

/// `exit status 3`, and behind it the output as far as it goes.
Task<Error> Classic::answer_failed(Exchange& exchange, std::string text, Spool& output) {
  if (options_.write_debug) {
    log().say("Success=false, Error=" + text);
    const auto out = output.read(0, kMostDebugBytes);
    if (out) log().say("Out=" + std::string(*out));
  }
  text += '\n';
  const std::array<Field, 1> fields{{{"X-OpenFaaS-Internal", "of-watchdog"}}};
  const Answer answer{.status = 500, .fields = fields, .length = text.size() + output.size()};
  BodySink& sink = exchange.respond(answer);
  if (const Error error = co_await sink.write(text)) co_return error;
  co_return co_await send(sink, output, 0);
}

/// What went to stdout before: the output, as it is.
void Classic::log_output(Spool& output) {
  const auto out = output.read(0, kMostDebugBytes);
  if (!out) return;
  LineSplitter lines(kMostDebugBytes,
                     [this](std::string_view line) { log().relay_bare(FunctionStream::standard_output, line); });
  lines.feed(*out);
  lines.end();
}

}  // namespace fwd
