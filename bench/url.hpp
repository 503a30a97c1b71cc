#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd::bench {

/// What to ask whom.
struct Url {
  bool secure = false;
  std::string host;        // to resolve and to print; without the brackets of an IPv6 address
  std::string host_field;  // as the Host field wants it: brackets kept, port only where it is not the scheme's own
  std::uint16_t port = 80;
  std::string path;  // with the query, and with a fragment too, which ab sends as it is
};

/// Reads `[http[s]://]host[:port]/path`, as ab does.
/// Errors: invalid_value for another scheme, no host, a bad port, no slash after the host, or a blank or control byte
/// anywhere. Source: load-generators 1.1, row URL.
Result<Url> parse_url(std::string_view text);

}  // namespace fwd::bench
