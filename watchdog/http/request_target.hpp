#pragma once

#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

/// What a request target says, whatever its form.
struct RequestTarget {
  std::string_view path_and_query;  // origin form, or "*"
  std::string_view path;            // raw, undecoded
  std::string_view query;           // without '?'
  std::string_view authority;       // of an absolute-form target; else empty
};

/// Splits `target` by the forms that `method` allows: origin form, absolute form (http and https), "*" for OPTIONS.
/// Shape:  views into `target`, or into `spare` where the origin form does not stand in the target (`http://host?x`).
///         A '#' is an ordinary character, as in Go's server.
/// Errors: unsupported_method for CONNECT; malformed_request for anything else that does not fit.
/// Source: RFC 9112 section 3.2.
Error split_target(std::string_view method, std::string_view target, std::string& spare, RequestTarget& out);

/// True if `host` may stand in a Host field: a name, an address or [IPv6], then possibly a port. Empty is fine.
/// Source: RFC 9110 section 7.2, RFC 3986 section 3.2.2.
bool is_host(std::string_view host);

}  // namespace fwd
