#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string>

namespace fwd {

using Error = boost::system::error_code;

/// A value, or why there is none.
template <class T>
using Result = boost::system::result<T>;

/// Errors of our own domain. Library errors are translated to these once, at the edge where they arise.
enum class Errc {
  malformed_request = 1,   // the client broke RFC 9110 or 9112
  unsupported_coding,      // a transfer coding that nobody asked for: 501
  unsupported_version,     // an HTTP major version that is not 1: 505
  unsupported_method,      // a method that this server never serves, such as CONNECT
  expectation_failed,      // an Expect other than 100-continue
  head_too_large,          // request line and fields, in all or one of them
  target_too_long,         // the request target alone
  body_too_large,          // more than the limit allows
  body_unreadable,         // a body that a text function cannot read to its end: 415
  request_timeout,         // the client did not send its request in time
  client_gone,             // the client closed or reset its connection
  over_limit,              // max_inflight is reached
  queue_full,              // max_queue requests are waiting already
  queue_timeout,           // waited max_queue_wait for a worker
  draining,                // the watchdog is about to end
  no_worker,               // no worker is up
  spawn_lacks_resources,   // EAGAIN, ENOMEM, EMFILE, ENFILE while a process was started
  spawn_failed,            // the program cannot be started at all
  environment_too_large,   // E2BIG: the request does not fit into a child's environment
  worker_died,             // the function's process ended before its answer did
  worker_protocol,         // the function's answer cannot be understood
  exec_timeout,            // the function took longer than exec_timeout or X-Timeout
  deadline_passed,         // the request took longer than X-Timeout, or than write_timeout leaves time for
  write_timeout,           // the answer took longer than write_timeout
  internal_error,          // a bug of ours
  invalid_value,           // an option's text that cannot be read
};

const boost::system::error_category& fwd_category();
inline Error make_error_code(Errc code) { return {static_cast<int>(code), fwd_category()}; }

/// An error of the operating system from `errno`.
inline Error system_error(int number) { return {number, boost::system::system_category()}; }

}  // namespace fwd

template <>
struct boost::system::is_error_code_enum<fwd::Errc> : std::true_type {};
