#include "watchdog/server/error_answer.hpp"

#include <array>
#include <string>

namespace fwd {
namespace {

constexpr std::string_view kOwn = "of-watchdog";
constexpr std::string_view kLimiter = "faas-middleware";
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

ErrorAnswer answer_for_errc(Errc code) {
  switch (code) {
    case Errc::malformed_request: return {400, kOwn};
    case Errc::request_timeout: return {408, kOwn};
    case Errc::unsupported_method: return {405, kOwn};
    case Errc::body_too_large: return {413, kOwn};
    case Errc::target_too_long: return {414, kOwn};
    case Errc::body_unreadable: return {415, kOwn};
    case Errc::expectation_failed: return {417, kOwn};
    case Errc::head_too_large:
    case Errc::environment_too_large: return {431, kOwn};
    case Errc::client_gone: return {400, kOwn};  // the client stopped in mid-request; nobody reads it
    case Errc::unsupported_coding: return {501, kOwn};
    case Errc::unsupported_version: return {505, kOwn};
    case Errc::over_limit:
    case Errc::queue_full:
    case Errc::queue_timeout: return {429, kLimiter, true};
    case Errc::draining:
    case Errc::no_worker:
    case Errc::spawn_lacks_resources: return {503, kOwn, true};
    case Errc::worker_died:
    case Errc::worker_protocol: return {502, kOwn};
    case Errc::exec_timeout:
    case Errc::deadline_passed: return {504, kOwn};
    case Errc::write_timeout:
    case Errc::internal_error:
    case Errc::spawn_failed:
    case Errc::invalid_value: return {500, kOwn};
  }
  return {500, kOwn};
}

}  // namespace

ErrorAnswer answer_for(const Error& error) {
  if (error.category() != fwd_category()) return {500, kOwn};
  return answer_for_errc(static_cast<Errc>(error.value()));
}

Task<Error> answer_error(Exchange& exchange, const Error& error, seconds retry_after, std::string_view text,
                         std::string_view duration) {
  const ErrorAnswer meaning = answer_for(error);
  const std::string retry = std::to_string(retry_after.count());
  std::array<Field, 4> fields{{{"Content-Type", kPlainText}, {"X-OpenFaaS-Internal", meaning.origin}}};
  std::size_t count = 2;
  if (meaning.retry) fields[count++] = {"Retry-After", retry};
  if (!duration.empty()) fields[count++] = {"X-Duration-Seconds", duration};
  std::string body(text.empty() ? error.message() : text);
  if (!body.ends_with('\n')) body += '\n';
  const std::span<const Field> used(fields.data(), count);
  const Answer answer{.status = meaning.status, .fields = used, .length = body.size()};
  co_return co_await exchange.respond(answer).finish(body);
}

Task<Error> answer_text(Exchange& exchange, int status, std::string_view text) {
  const std::array<Field, 1> fields{{{"Content-Type", kPlainText}}};
  const std::span<const Field> used(fields.data(), text.empty() ? 0 : 1);
  const Answer answer{.status = status, .fields = used, .length = text.size()};
  return exchange.respond(answer).finish(text);
}

}  // namespace fwd
