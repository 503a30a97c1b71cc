#pragma once

#include "watchdog/exchange.hpp"

namespace fwd {

/// What an error means to a client.
struct ErrorAnswer {
  int status;
  std::string_view origin;  // X-OpenFaaS-Internal: of-watchdog, or faas-middleware for the limiter
  bool retry = false;       // worth another try, so Retry-After is sent
};

/// The one table from errors to statuses.
/// Source: DESIGN, errors; watchdog-contract 1.8 and 1.12.
ErrorAnswer answer_for(const Error& error);

/// Answers with an error: a one-line text, and who says so. `retry_after` is sent where another try is worth it,
/// `duration` as X-Duration-Seconds unless it is empty.
Task<Error> answer_error(Exchange& exchange, const Error& error, seconds retry_after, std::string_view text,
                         std::string_view duration = {});

/// Answers with a short text of our own, which outlives the answer; empty: no body and no type.
Task<Error> answer_text(Exchange& exchange, int status, std::string_view text);

}  // namespace fwd
