#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "watchdog/base/error.hpp"
#include "watchdog/http/field.hpp"

namespace fwd {

/// What the fields of a request say about its framing and its connection.
struct RequestFraming {
  std::string_view host;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool expects_continue = false;         // only ever true in HTTP/1.1
  bool says_close = false;               // Connection: close, on any line
  bool says_keep_alive = false;          // Connection: keep-alive, on any line
  bool connection_names_fields = false;  // Connection holds a token besides those two
};

/// The framing validator, on the fields of a parsed head: closes the holes that Beast 1.81 leaves.
///
/// - Host: at most one line, exactly one in HTTP/1.1, and a valid host.
/// - Transfer-Encoding: HTTP/1.1, one line, exactly `chunked`, no Content-Length beside it.
/// - Content-Length: one line of 1 to 19 digits.
/// - Expect: nothing but 100-continue, which HTTP/1.0 cannot ask for (it is ignored there).
///
/// Errors: malformed_request; unsupported_coding for one unknown coding; expectation_failed.
/// Source: list V of reference/reliability.md 6.1; RFC 9112 sections 3.2 and 6.
Error check_framing(int minor_version, std::span<const Field> fields, RequestFraming& out);

/// 1 to 19 digits, nothing else; nothing for anything else. 19 digits always fit.
std::optional<std::uint64_t> parse_content_length(std::string_view text);

}  // namespace fwd
