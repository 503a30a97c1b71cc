#include "watchdog/http/request_target.hpp"

#include <cstddef>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// unreserved, sub-delims or the '%' of an escape: RFC 3986 reg-name, with the escapes not looked into further.
bool is_name_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return c != '\0' && std::string_view("-._~%!$&'()*+,;=").find(c) != npos;
}

bool is_port(std::string_view port) {
  for (char c : port) {
    if (c < '0' || c > '9') return false;
  }
  return port.size() <= 5;
}

/// The size of "http://" or "https://" at the front of a target; 0 if there is neither.
std::size_t scheme_size(std::string_view target) {
  if (same_name(target.substr(0, 7), "http://")) return 7;
  if (same_name(target.substr(0, 8), "https://")) return 8;
  return 0;
}

void split_query(RequestTarget& out) {
  const auto mark = out.path_and_query.find('?');
  out.path = out.path_and_query.substr(0, mark);
  if (mark != npos) out.query = out.path_and_query.substr(mark + 1);
}

Error split_absolute(std::string_view method, std::string_view target, std::string& spare, RequestTarget& out) {
  const auto scheme = scheme_size(target);
  if (scheme == 0) return Errc::malformed_request;
  const auto rest = target.substr(scheme);
  const auto end = rest.find_first_of("/?");
  out.authority = rest.substr(0, end);
  if (out.authority.empty() || out.authority.front() == ':' || !is_host(out.authority)) return Errc::malformed_request;
  if (end == npos) {
    out.path_and_query = method == "OPTIONS" ? "*" : "/";  // RFC 9112 3.2.4 for OPTIONS
  } else if (rest[end] == '/') {
    out.path_and_query = rest.substr(end);
  } else {
    spare.assign(1, '/').append(rest.substr(end));
    out.path_and_query = spare;
  }
  split_query(out);
  return {};
}

}  // namespace

Error split_target(std::string_view method, std::string_view target, std::string& spare, RequestTarget& out) {
  out = {};
  if (method == "CONNECT") return Errc::unsupported_method;
  if (target.starts_with('/')) {
    out.path_and_query = target;
    split_query(out);
    return {};
  }
  if (target == "*") {
    if (method != "OPTIONS") return Errc::malformed_request;
    out.path_and_query = out.path = target;
    return {};
  }
  return split_absolute(method, target, spare, out);
}

bool is_host(std::string_view host) {
  std::size_t at = 0;
  if (host.starts_with('[')) {
    const auto close = host.find(']');
    if (close == npos || close < 3) return false;  // "[::]" is the shortest
    for (char c : host.substr(1, close - 1)) {
      if (!is_hex(c) && c != ':' && c != '.') return false;
    }
    at = close + 1;
  } else {
    while (at < host.size() && is_name_char(host[at])) ++at;
  }
  if (at == host.size()) return true;
  return host[at] == ':' && is_port(host.substr(at + 1));
}

}  // namespace fwd
