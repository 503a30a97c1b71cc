#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Where a function's HTTP server listens.
struct UpstreamUrl {
  std::string host;         // a name or an address, IPv6 without its brackets; empty for a Unix socket
  std::uint16_t port = 80;
  std::string socket;       // the path of a Unix socket; empty for TCP
  std::string prefix;       // stands before every request target: empty, or begins with '/' and does not end with it

  bool is_unix() const { return !socket.empty(); }

  /// `host:port` as a Host field has it; `localhost` for a Unix socket.
  std::string authority() const;
};

/// Reads `http://host[:port][/prefix]`, `unix:/path`, `unix:///path` or `http+unix://%2Fpath%2Fto.sock[/prefix]`.
/// Shape:  user, query and fragment are refused; a '/' at the end of the prefix goes, for a target begins with one.
/// Errors: invalid_value; problem_of_upstream_url() says why in words.
/// Source: RFC 3986; watchdog-contract 1.2, upstream_url.
Result<UpstreamUrl> parse_upstream_url(std::string_view text);

/// Why parse_upstream_url() refuses `text`, in words; empty if it does not.
std::string problem_of_upstream_url(std::string_view text);

}  // namespace fwd
