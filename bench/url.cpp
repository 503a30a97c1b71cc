#include "bench/url.hpp"

#include <algorithm>
#include <charconv>

namespace fwd::bench {
namespace {

const Error kInvalid = make_error_code(Errc::invalid_value);

bool has_unsendable_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

bool starts_with_nocase(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b); });
}

/// Splits `host[:port]`; an IPv6 address stands in brackets.
Error split_authority(std::string_view authority, Url& url) {
  std::string_view rest;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos || end == 1) return kInvalid;
    url.host = authority.substr(1, end - 1);
    url.host_field = authority.substr(0, end + 1);
    rest = authority.substr(end + 1);
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    url.host = url.host_field = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (url.host.empty() || url.host.find('@') != std::string::npos) return kInvalid;
  const std::uint16_t usual = url.secure ? 443 : 80;
  url.port = usual;
  if (rest.empty()) return {};
  if (rest.front() != ':') return kInvalid;
  rest.remove_prefix(1);
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), url.port);
  if (failure != std::errc() || end != rest.data() + rest.size() || url.port == 0) return kInvalid;
  if (url.port != usual) url.host_field += ':' + std::to_string(url.port);
  return {};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  Url url;
  if (has_unsendable_byte(text)) return kInvalid;
  if (starts_with_nocase(text, "http://")) {
    text.remove_prefix(7);
  } else if (starts_with_nocase(text, "https://")) {
    url.secure = true;
    text.remove_prefix(8);
  }
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return kInvalid;
  if (const Error error = split_authority(text.substr(0, slash), url)) return error;
  url.path = text.substr(slash);
  return url;
}

}  // namespace fwd::bench
