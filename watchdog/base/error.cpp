#include "watchdog/base/error.hpp"

namespace fwd {
namespace {

const char* text_of(Errc code) {
  switch (code) {
    case Errc::malformed_request: return "malformed request";
    case Errc::unsupported_coding: return "unsupported transfer coding";
    case Errc::unsupported_version: return "unsupported HTTP version";
    case Errc::unsupported_method: return "method not allowed";
    case Errc::expectation_failed: return "unknown expectation";
    case Errc::head_too_large: return "request header fields too large";
    case Errc::target_too_long: return "request target too long";
    case Errc::body_too_large: return "request body too large";
    case Errc::body_unreadable: return "the body ends inside a UTF-8 sequence, which this function cannot read";
    case Errc::request_timeout: return "the request did not arrive in time";
    case Errc::client_gone: return "the client has gone";
    case Errc::over_limit: return "concurrent request limit exceeded";
    case Errc::queue_full: return "the queue is full";
    case Errc::queue_timeout: return "waited too long for a worker";
    case Errc::draining: return "the watchdog is draining";
    case Errc::no_worker: return "no worker is up";
    case Errc::spawn_lacks_resources: return "a process could not be started for lack of resources";
    case Errc::spawn_failed: return "the function cannot be started";
    case Errc::environment_too_large: return "the request does not fit into the function's environment";
    case Errc::worker_died: return "the function ended before its answer did";
    case Errc::worker_protocol: return "the function's answer could not be understood";
    case Errc::exec_timeout: return "the function took longer than exec_timeout";
    case Errc::deadline_passed: return "the request took longer than X-Timeout or write_timeout allows";
    case Errc::write_timeout: return "the answer took longer than write_timeout";
    case Errc::internal_error: return "internal error";
    case Errc::invalid_value: return "invalid value";
  }
  return "unknown error";
}

struct Category final : boost::system::error_category {
  const char* name() const noexcept override { return "fwatchdog"; }
  std::string message(int value) const override { return text_of(static_cast<Errc>(value)); }
};

}  // namespace

const boost::system::error_category& fwd_category() {
  static const Category category;
  return category;
}

}  // namespace fwd
