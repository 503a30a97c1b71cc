#pragma once

#include <cstddef>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

/// How large a request's head may be.
/// Source: reference/reliability.md 3.2, between nginx's, Envoy's and Node's defaults.
struct RequestLimits {
  std::size_t head_bytes = 32 * 1024;   // all of it, the final empty line included
  std::size_t line_bytes = 16 * 1024;   // one line, the request line too
  std::size_t target_bytes = 8 * 1024;  // the request target alone
  std::size_t fields = 128;             // field lines
};

/// The longest method that is taken; the longest registered one has 17 characters (UPDATEREDIRECTREF).
inline constexpr std::size_t kMethodBytes = 32;

/// The three parts of a request line; views into the head.
struct RequestLine {
  std::string_view method;
  std::string_view target;
  int minor_version = 1;  // as sent; only the last digit of HTTP/1.x
};

/// Where the head ends in `bytes` (the index after the empty line), or npos while it does not. Only CRLF CRLF ends a
/// head. Units: `searched` bytes from the front are known not to hold the end: pass the size at the last call.
std::size_t find_head_end(std::string_view bytes, std::size_t searched);

/// How many bytes of empty lines to drop before a request line: at most two CRLF, which old clients send after a body.
/// Source: RFC 9112 section 2.2.
std::size_t skip_leading_crlf(std::string_view bytes);

/// An early verdict on an incomplete head, so that garbage, a TLS hello, an HTTP/2 preface, a line that ends in a bare
/// LF, or something too long is answered at once and does not wait for an end that never comes.
/// Shape:  `bytes` starts at the request line (after skip_leading_crlf) and holds no complete head.
/// Errors: as scan_head; success = go on reading.
Error check_partial_head(std::string_view bytes, const RequestLimits& limits);

/// Checks a complete head line by line before it is parsed: every line ends in CRLF, no CR anywhere else, no folded
/// line, nothing over a limit, and the request line is one of HTTP/1.x.
/// Errors: malformed_request, unsupported_version, target_too_long, head_too_large.
/// Source: list V of reference/reliability.md 6.1; RFC 9112 sections 2.2, 3 and 5.2.
Error scan_head(std::string_view head, const RequestLimits& limits, RequestLine& line);

}  // namespace fwd
