#include "bench/request.hpp"

#include <algorithm>
#include <strings.h>

#include "bench/version.hpp"

namespace fwd::bench {
namespace {

bool names_field(const std::string& line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         ::strncasecmp(line.data(), name.data(), name.size()) == 0;
}

bool user_gives(const RequestParts& parts, std::string_view name) {
  return std::any_of(parts.fields.begin(), parts.fields.end(),
                     [name](const std::string& line) { return names_field(line, name); });
}

void add_body_fields(const RequestParts& parts, std::string& head) {
  if (!parts.has_body) return;
  head += "Content-length: " + std::to_string(parts.body.size()) + "\r\n";
  if (parts.keep_duplicates || !user_gives(parts, "Content-Type"))
    head += "Content-type: " + parts.content_type + "\r\n";
}

void add_connection(const RequestParts& parts, std::string& head) {
  if (user_gives(parts, "Connection") && !parts.keep_duplicates) return;
  if (parts.version == HttpVersion::http_10 && parts.keep_alive) head += "Connection: Keep-Alive\r\n";
  if (parts.version == HttpVersion::http_11 && !parts.keep_alive) head += "Connection: close\r\n";
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= have ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string render_request(const RequestParts& parts, const Url& url) {
  const bool old = parts.version == HttpVersion::http_10;
  std::string head = parts.method + ' ' + url.path + (old ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  add_connection(parts, head);
  if (!parts.cookie.empty()) head += "Cookie: " + parts.cookie + "\r\n";
  for (const std::string& user : parts.authorizations) head += "Authorization: Basic " + to_base64(user) + "\r\n";
  add_body_fields(parts, head);
  for (const std::string& line : parts.fields) head += line + "\r\n";
  if (!user_gives(parts, "Host")) head += "Host: " + url.host_field + "\r\n";
  if (!user_gives(parts, "User-Agent")) {
    head +=
        old ? std::string("User-Agent: ApacheBench/2.3\r\n") : "User-Agent: fbench/" + std::string(version()) + "\r\n";
  }
  if (!user_gives(parts, "Accept")) head += "Accept: */*\r\n";
  return head + "\r\n" + parts.body;
}

}  // namespace fwd::bench
