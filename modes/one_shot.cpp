#include "modes/one_shot.hpp"

#include <array>
#include <cctype>
#include <cerrno>

#include "modes/output_head.hpp"

namespace fwd {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;  // of an output in a file

CgiFacts facts_of(const Exchange& exchange, CgiFlavour flavour, std::optional<std::uint64_t> body_length) {
  CgiFacts facts{.body_length = body_length, .traceparent = exchange.traceparent()};
  if (flavour != CgiFlavour::rfc3875) return facts;
  facts.client_address = exchange.peer().address;  // costs two system calls
  facts.local_port = exchange.peer().local_port;
  return facts;
}

}  // namespace

OneShot::OneShot(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, OneShotOptions options)
    : watch_(watch),
      log_(log),
      options_(std::move(options)),
      children_(watch, reaper, log, log_options, options_.children) {}

OneShot::~OneShot() = default;

Error OneShot::start() {
  const Error error = children_.start();
  if (error) start_error_ = spawn_error_text(error);
  return error;
}

Task<Result<Children::Lease>> OneShot::acquire(Exchange& exchange, std::optional<std::uint64_t> body_length) {
  ChildStart request;
  const std::string_view traceparent = exchange.traceparent();
  if (options_.cgi_headers) {
    const CgiFacts facts = facts_of(exchange, options_.cgi_flavour, body_length);
    append_cgi_environment(exchange.request(), options_.cgi_flavour, facts, request.variables);
  } else if (!traceparent.empty()) {
    request.variables.push_back("TRACEPARENT=" + std::string(traceparent));
  }
  request.call_id = exchange.request().find("X-Call-Id").value_or("");
  std::function<bool()> gone = [&exchange] { return exchange.client_gone(); };
  co_return co_await children_.acquire(std::move(request), exchange.deadline(), std::move(gone));
}

Task<Error> OneShot::cannot_start(Exchange& exchange, Error error, std::string_view text_end) {
  if (error.category() != boost::system::system_category()) co_return error;
  std::string text = spawn_error_text(error);
  text += text_end;
  if (const Error failure = co_await answer_failure(exchange, 500, text, {})) co_return failure;
  co_return Errc::spawn_failed;
}

/// Source: Go's os/exec and os.StartProcess, whose texts the old watchdogs' clients know.
std::string OneShot::spawn_error_text(const Error& error) const {
  const auto& argv = options_.children.argv;
  const std::string program = argv.empty() ? std::string() : argv.front();
  if (error.value() == ENOENT && program.find('/') == std::string::npos)
    return "exec: \"" + program + "\": executable file not found in $PATH";
  std::string reason = error.message();
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return "fork/exec " + program + ": " + reason;
}

std::string OneShot::command_text() const {
  std::string text;
  for (const std::string& word : options_.children.argv) text += text.empty() ? word : ' ' + word;
  return text;
}

Task<Error> OneShot::read_body(Exchange& exchange, Spool& body) {
  while (exchange.request().has_body()) {
    const auto piece = co_await exchange.body().next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    if (const Error error = body.append(*piece)) co_return error;
  }
  exchange.timing().body_read = Clock::now();
  co_return Error{};
}

Task<Error> OneShot::collect(Exchange& exchange, Child& child, Spool& output) {
  auto& answers = child.process().answers();
  for (;;) {
    const Error end = co_await child.more_output();
    if (end == asio::error::eof) break;
    if (child.failure()) co_return child.failure();
    if (output.size() == 0) exchange.timing().first_byte = Clock::now();
    const Error error = output.append(answers.data());
    answers.consume(answers.data().size());
    if (error) child.fail(error);
  }
  co_await child.ended(kNever);
  co_return child.failure();
}

std::string OneShot::duration_text(Exchange& exchange) {
  const nanoseconds taken = Clock::now() - exchange.timing().handed_over;
  return std::to_string(std::chrono::duration<double>(taken).count());
}

Task<Error> OneShot::answer_failure(Exchange& exchange, int status, std::string_view text,
                                    std::string_view duration) {
  const std::array<Field, 3> fields{{{"Content-Type", "text/plain; charset=utf-8"},
                                     {"X-OpenFaaS-Internal", "of-watchdog"},
                                     {"X-Duration-Seconds", duration}}};
  const std::span<const Field> used(fields.data(), duration.empty() ? 2 : 3);
  const Answer answer{.status = status, .fields = used, .length = text.size()};
  co_return co_await exchange.respond(answer).finish(text);
}

Task<Error> OneShot::send(BodySink& sink, Spool& output, std::uint64_t offset) {
  const std::size_t at_once = output.in_memory() ? static_cast<std::size_t>(output.size()) : kPieceBytes;
  while (offset < output.size()) {
    const auto piece = output.read(offset, at_once);
    if (!piece) co_return piece.error();
    offset += piece->size();
    if (offset == output.size()) co_return co_await sink.finish(*piece);
    if (const Error error = co_await sink.write(*piece)) co_return error;
  }
  co_return co_await sink.finish({});
}

Task<Error> OneShot::answer_output(Exchange& exchange, Spool& output, std::string_view content_type,
                                   std::string duration) {
  OutputHead head(options_.cgi_response, content_type);
  std::uint64_t offset = 0;
  while (!head.decided()) {
    const auto piece = output.read(offset, kPieceBytes);
    if (!piece) co_return piece.error();
    if (piece->empty()) head.end();
    if (piece->empty()) break;
    offset += piece->size();
    if (const Error error = head.feed(*piece)) co_return error;
  }
  if (!duration.empty()) head.add({"X-Duration-Seconds", duration});
  BodySink& sink = exchange.respond(head.answer(head.body().size() + output.size() - offset));
  if (const Error error = co_await sink.write(head.body())) co_return error;
  co_return co_await send(sink, output, offset);
}

}  // namespace fwd
