#pragma once

#include "watchdog/exchange.hpp"

namespace fwd {

/// What an error of FileSource means to a client; nothing for one that nobody foresaw, which is for the log.
std::optional<int> file_status(const Error& error);

/// Answers with one of the statuses of static mode, 400, 403, 404, 405, 412, 416 or 503, and its line of text. `extra` is
/// a field to go with it, if it has a name.
Task<Error> answer_failure(Exchange& exchange, int status, const Field& extra = {});

}  // namespace fwd
