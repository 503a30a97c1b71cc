#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/http/request_head.hpp"

namespace fwd {

/// Whose names and rules the variables follow.
enum class CgiFlavour : unsigned char {
  of_watchdog,
  classic,
  rfc3875,
};

/// What a head does not say about its request.
struct CgiFacts {
  std::string_view client_address{};           // `127.0.0.1`, `::1`
  std::uint16_t local_port = 0;                // that the request came to
  std::optional<std::uint64_t> body_length{};  // in bytes, of what the child will read; unknown: a body still coming
  std::string_view traceparent{};              // goes out instead of the client's field; empty: none
};

/// Appends what a process that is started for one request finds in its environment, one `NAME=value` each. No name
/// occurs twice. Entries belong behind the watchdog's own: where a name is in both, this one holds.
///
/// of_watchdog, in this order:
/// - `Http_<Name>` for each field: its first value, the name in Go's canonical spelling with `_` for `-`. Without Host
///   and Transfer-Encoding.
/// - `Http_Method`; `Http_ContentLength`: the client's Content-Length, `-1` for a chunked body, `0` for none;
///   `Http_Query`: raw, unless empty; `Http_Path`: decoded, unless empty; `Http_Transfer_Encoding=chunked` of a chunked
///   body; `Http_Host`, unless empty. `Http_ContentLength` and `Http_Host` are classic's; of-watchdog has not got them.
///
/// classic: the same, and `Http_Content_Length`, as `Http_ContentLength`, is always there.
///
/// rfc3875:
/// - `GATEWAY_INTERFACE`, `SERVER_SOFTWARE`, `SERVER_NAME`, `SERVER_PORT`, `SERVER_PROTOCOL`, `REMOTE_ADDR`,
///   `REQUEST_METHOD`, `REQUEST_URI`, `SCRIPT_NAME` (empty), `PATH_INFO` (decoded), `QUERY_STRING`,
///   `REDIRECT_STATUS=200` (php-cgi refuses to run without it); `CONTENT_LENGTH` if there is a body of known length;
///   `CONTENT_TYPE` if the client said one.
/// - `HTTP_<NAME>` for each field: the values of equal names joined by `, `, those of Cookie by `; `. Without
///   Authorization, Content-Length, Content-Type, hop-by-hop fields, and names that hold anything but letters, digits
///   and `-`.
///
/// In every flavour:
/// - No field makes `Http_Query`, `Http_Method` or `Http_Path`, nor a name that ends in `_proxy` in any case (Proxy
///   would be HTTP_PROXY, which many programs obey: CVE-2016-5385).
/// - A name with `_` never takes the place of one with `-`.
/// - A path with a malformed escape or an escaped NUL is given as it came.
/// - With a `traceparent`: `TRACEPARENT`, and `TRACESTATE` if the client sent one for the same trace; the variables of
///   the fields agree with them.
///
/// Source: reference/watchdog-contract.md 1.7 and 2.2; RFC 3875 section 4.1; W3C Trace Context.
void append_cgi_environment(const RequestHead& head, CgiFlavour flavour, const CgiFacts& facts,
                            std::vector<std::string>& out);

}  // namespace fwd
