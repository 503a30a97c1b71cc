#include "modes/upstream_url.hpp"

#include <sys/un.h>

#include <charconv>

#include "watchdog/http/field.hpp"
#include "watchdog/http/percent.hpp"
#include "watchdog/http/request_target.hpp"

namespace fwd {
namespace {

constexpr std::size_t kMostSocketPath = sizeof(sockaddr_un::sun_path) - 1;  // and a NUL, unix(7)

/// Takes `scheme` off the front of `text`, whatever its case.
bool take_scheme(std::string_view& text, std::string_view scheme) {
  if (!same_name(text.substr(0, scheme.size()), scheme)) return false;
  text.remove_prefix(scheme.size());
  return true;
}

const char* read_prefix(std::string_view text, UpstreamUrl& url) {
  while (text.ends_with('/')) text.remove_suffix(1);
  for (const char c : text)
    if (c <= ' ' || c == 0x7F || c == '?' || c == '#') return "the path may hold no blank, query or fragment";
  url.prefix = text;
  return nullptr;
}

const char* read_socket(std::string path, UpstreamUrl& url) {
  if (!path.starts_with('/')) return "the path of a Unix socket begins with /";
  if (path.find('\0') != std::string::npos) return "the path of a Unix socket holds no NUL";
  if (path.size() > kMostSocketPath) return "the path of a Unix socket has at most 107 bytes";
  url.socket = std::move(path);
  return nullptr;
}

const char* read_port(std::string_view text, UpstreamUrl& url) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), url.port);
  const bool number = error == std::errc() && end == text.data() + text.size() && url.port != 0;
  return number ? nullptr : "the port is a number from 1 to 65535";
}

const char* read_authority(std::string_view text, UpstreamUrl& url) {
  if (text.find('@') != std::string_view::npos) return "a user has no place in it";
  if (text.empty() || !is_host(text)) return "a host is needed behind http://";
  std::string_view port;
  std::size_t colon = text.rfind(':');
  if (text.front() == '[' && text.back() == ']') colon = std::string_view::npos;  // the colon is the address's
  if (colon != std::string_view::npos) {
    port = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (const char* problem = read_port(port, url)) return problem;
  }
  if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
  url.host = text;
  return url.host.empty() ? "a host is needed behind http://" : nullptr;
}

const char* read_url(std::string_view text, UpstreamUrl& url) {
  if (take_scheme(text, "http://")) {
    const std::size_t slash = text.find('/');
    if (const char* problem = read_authority(text.substr(0, slash), url)) return problem;
    return slash == std::string_view::npos ? nullptr : read_prefix(text.substr(slash), url);
  }
  if (take_scheme(text, "http+unix://")) {
    const std::size_t slash = text.find('/');
    std::string path;
    if (!append_percent_decoded(path, text.substr(0, slash))) return "a % is followed by two hexadecimal digits";
    if (const char* problem = read_socket(std::move(path), url)) return problem;
    return slash == std::string_view::npos ? nullptr : read_prefix(text.substr(slash), url);
  }
  if (take_scheme(text, "unix://")) return read_socket(std::string(text), url);
  if (take_scheme(text, "unix:")) return read_socket(std::string(text), url);
  if (take_scheme(text, "https://")) return "https is not spoken to a function: use http or unix";
  return "it begins with http:// or unix:";
}

}  // namespace

Result<UpstreamUrl> parse_upstream_url(std::string_view text) {
  UpstreamUrl url;
  if (read_url(text, url) != nullptr) return Errc::invalid_value;
  return url;
}

std::string UpstreamUrl::authority() const {
  if (is_unix()) return "localhost";
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string problem_of_upstream_url(std::string_view text) {
  UpstreamUrl url;
  const char* problem = read_url(text, url);
  return problem != nullptr ? problem : "";
}

}  // namespace fwd
