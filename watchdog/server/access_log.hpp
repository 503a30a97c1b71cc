#pragma once

#include <string>
#include <string_view>

#include "watchdog/base/log.hpp"
#include "watchdog/server/server_exchange.hpp"

namespace fwd {

/// What a request's line looks like in text format. In the other formats every request has a line.
enum class AccessLogStyle {
  with_reason,  // `POST /p - 200 OK - ContentLength: 46B (0.0013s)`: modes http and afterburn
  plain,        // `POST /p - 200 - ContentLength: 46B (0.0013s)`: modes streaming and serializing
  none,         // modes static, and classic, which writes lines of its own; an error still has a plain line
};

/// Which requests have a line; `errors`: those answered 400 and above, or not to their end.
enum class LoggedRequests { all, errors, none };

struct AccessLogOptions {
  bool call_ids = false;  // in text format; the others have them always
  AccessLogStyle style = AccessLogStyle::with_reason;
  LoggedRequests logged = LoggedRequests::all;
};

/// One line for each request, in the log's format: in text one of AccessLogStyle, with ` [call-id]` where asked for,
/// else `{"time":…,"level":"info","msg":"request","method":"POST","path":"/p","status":200,…}`.
/// Requests of Kubernetes' probes are not logged.
/// Source: watchdog-contract 1.9.
class AccessLog {
 public:
  AccessLog(Log& log, AccessLogOptions options) : log_(log), options_(options), values_(log.format()) {}

  /// `note`: what went wrong; empty if nothing did.
  void write(const ServerExchange& exchange, nanoseconds duration, std::string_view note = {});

 private:
  bool is_wanted(const ServerExchange& exchange, bool failed) const;
  void write_text(const ServerExchange& exchange, nanoseconds duration, std::string_view note);
  void write_values(const ServerExchange& exchange, nanoseconds duration, std::string_view note);

  Log& log_;
  AccessLogOptions options_;
  std::string line_;
  LogLine values_;  // where the format is not text
};

/// Four significant digits, base 1000: `5B`, `1.282kB`. Source: docker/go-units HumanSize.
std::string human_size(std::uint64_t bytes);

/// Appends `text` with control bytes and bytes above 126 as \xNN, at most 1 KiB of it: no request can forge a line.
void append_escaped(std::string& out, std::string_view text);

}  // namespace fwd
