#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fwd::bench {

/// Why a request failed. Every failed request has exactly one of these; `none` is not a failure.
enum class Failure : std::uint8_t {
  none,
  refused,          // nobody listens there
  unreachable,      // no route, network down
  connect_timeout,  // the timeout passed before the connection stood
  no_ports,         // EADDRNOTAVAIL: this machine has no ephemeral port left
  no_descriptors,   // EMFILE, ENFILE: this machine or process has no descriptor left
  connect_error,    // any other error of socket() or connect()
  write_error,      // the server took no more of the request
  reset,            // the server reset the connection before its answer was whole
  empty,            // closed without one byte
  truncated,        // closed before the end of the head, of its Content-Length, or of the last chunk
  not_http,         // the first bytes are no HTTP status line
  malformed,        // a head that breaks RFC 9112
  bad_chunk,        // a chunk that breaks RFC 9112 section 7.1
  head_too_large,   // a head of more than 64 KiB
  excess,           // bytes after the end of an answer
  timeout,          // the timeout passed before the answer was whole
  length,           // a whole answer whose body has another length than the first (not with -l)
};

inline constexpr std::size_t kFailureKinds = static_cast<std::size_t>(Failure::length) + 1;

/// The four columns of ab's failure line; each kind belongs to one.
enum class FailureColumn : std::uint8_t { connect, receive, length, exceptions };

/// A name for reports, such as `connection refused`.
std::string_view failure_name(Failure kind);
FailureColumn failure_column(Failure kind);

/// True if the cause is a limit of the machine that generates the load, not the server.
bool is_local_limit(Failure kind);

/// The kind that an errno of socket(), connect() or SO_ERROR stands for.
Failure connect_failure(int error_number);

}  // namespace fwd::bench
