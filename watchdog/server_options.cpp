#include "watchdog/server_options.hpp"

namespace fwd {
namespace {

/// Each mode's lines look as its old watchdog's. Source: watchdog-contract 1.9 and 2.2.
AccessLogStyle access_log_style(ModeName mode) {
  switch (mode) {
    case ModeName::streaming:
    case ModeName::serializing: return AccessLogStyle::plain;
    case ModeName::classic:
    case ModeName::static_files: return AccessLogStyle::none;
    case ModeName::http:
    case ModeName::afterburn: break;
  }
  return AccessLogStyle::with_reason;
}

LoggedRequests logged_requests(AccessLogged asked) {
  switch (asked) {
    case AccessLogged::errors: return LoggedRequests::errors;
    case AccessLogged::none: return LoggedRequests::none;
    case AccessLogged::all: break;
  }
  return LoggedRequests::all;
}

}  // namespace

SessionOptions session_options(const Config& config) {
  SessionOptions options;
  options.keepalive_timeout = config.keepalive_timeout;
  options.limits.read_timeout = config.read_timeout;
  options.limits.write_timeout = config.write_timeout;
  options.limits.exec_timeout = config.exec_timeout;
  options.limits.max_body_bytes = config.max_body_bytes;
  options.limits.head.head_bytes = config.max_head_bytes;
  options.limits.trace_context = config.trace_context;
  return options;
}

AccessLogOptions access_log_options(const Config& config) {
  return {.call_ids = config.log_callid,
          .style = access_log_style(config.mode),
          .logged = logged_requests(config.access_log)};
}

}  // namespace fwd
