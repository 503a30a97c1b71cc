#include "watchdog/http/request_scan.hpp"

#include <algorithm>
#include <cstring>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view kVersionForm = "HTTP/1.1";  // all versions have this many characters

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The method at the front of an unfinished or finished request line.
Error check_method(std::string_view method) {
  if (method.size() > kMethodBytes || !is_token(method)) return Errc::malformed_request;
  return {};
}

/// Blanks and control characters end a target; bytes above 127 are let through, as Go does.
bool is_target(std::string_view target) {
  for (char c : target) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F) return false;
  }
  return true;
}

Error read_version(std::string_view version, int& minor) {
  if (version.size() != kVersionForm.size() || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
      version[6] != '.' || !is_digit(version[7])) {
    return Errc::malformed_request;
  }
  if (version[5] != '1') return Errc::unsupported_version;
  minor = version[7] - '0';
  return {};
}

/// A whole request line, without its CRLF.
Error read_request_line(std::string_view text, const RequestLimits& limits, RequestLine& line) {
  if (text == "PRI * HTTP/2.0") return Errc::malformed_request;  // the HTTP/2 preface, whose speaker reads no 505
  const auto method_end = text.find(' ');
  line.method = text.substr(0, std::min(method_end, kMethodBytes + 1));
  if (method_end == npos) return Errc::malformed_request;
  if (auto error = check_method(text.substr(0, method_end))) return error;
  const auto target_end = text.find(' ', method_end + 1);
  line.target = text.substr(method_end + 1, target_end == npos ? npos : target_end - method_end - 1);
  if (line.target.size() > limits.target_bytes) return Errc::target_too_long;
  if (target_end == npos || line.target.empty() || !is_target(line.target)) return Errc::malformed_request;
  return read_version(text.substr(target_end + 1), line.minor_version);
}

/// A request line that has no end yet: what can be said of it already.
Error check_partial_line(std::string_view text, const RequestLimits& limits) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  const auto method_end = text.find(' ');
  if (method_end == npos) return text.empty() ? Error{} : check_method(text);
  if (auto error = check_method(text.substr(0, method_end))) return error;
  const auto rest = text.substr(method_end + 1);
  const auto target = rest.substr(0, rest.find(' '));
  if (!is_target(target)) return Errc::malformed_request;
  if (target.size() > limits.target_bytes) return Errc::target_too_long;
  if (target.size() == rest.size()) return {};
  const auto version = rest.substr(target.size() + 1);
  const auto known = std::min<std::size_t>(version.size(), 5);
  if (version.substr(0, known) != kVersionForm.substr(0, known)) return Errc::malformed_request;
  return version.size() > kVersionForm.size() ? Error(Errc::malformed_request) : Error{};
}

/// A CR that does not end the line, or may still: it is no line end to us, but it is to others (CVE-2023-30589).
bool has_bare_cr(std::string_view line) {
  const auto cr = line.find('\r');
  return cr != npos && cr + 1 < line.size();
}

/// Goes through the lines of a head. A CR inside a line is left to the parser, which refuses it.
class LineScan {
 public:
  LineScan(std::string_view bytes, const RequestLimits& limits) : rest_(bytes), limits_(limits) {}

  /// Takes the next line that has an end, without its CRLF. False when there is none or error() is set.
  bool next(std::string_view& line) {
    const auto size = rest_.find('\n');
    if (size == npos) return false;
    if (size == 0 || rest_[size - 1] != '\r') return refuse(Errc::malformed_request);  // a bare LF
    line = rest_.substr(0, size - 1);
    if (line.size() > limits_.line_bytes) return refuse(too_long());
    if (count_ > 0 && is_folded(line)) return refuse(Errc::malformed_request);
    if (!line.empty() && ++count_ > limits_.fields + 1) return refuse(Errc::head_too_large);
    rest_.remove_prefix(size + 1);
    return true;
  }

  /// What is left behind the last line that has an end.
  Error check_rest() const {
    if (rest_.size() > limits_.line_bytes + 1) return too_long();
    return has_bare_cr(rest_) || (count_ > 0 && is_folded(rest_)) ? Error(Errc::malformed_request) : Error{};
  }

  std::string_view rest() const { return rest_; }
  Error error() const { return error_; }
  Errc too_long() const { return count_ == 0 ? Errc::target_too_long : Errc::head_too_large; }

 private:
  static bool is_folded(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }
  bool refuse(Errc code) {
    error_ = code;
    return false;
  }

  std::string_view rest_;
  const RequestLimits& limits_;
  std::size_t count_ = 0;
  Error error_;
};

}  // namespace

std::size_t find_head_end(std::string_view bytes, std::size_t searched) {
  std::size_t from = searched < 3 ? 0 : searched - 3;
  while (from + 4 <= bytes.size()) {
    const auto* lf = static_cast<const char*>(std::memchr(bytes.data() + from, '\n', bytes.size() - from));
    if (lf == nullptr) return npos;
    const auto at = static_cast<std::size_t>(lf - bytes.data());
    if (at > 0 && bytes[at - 1] == '\r' && bytes.substr(at + 1, 2) == "\r\n") return at + 3;
    from = at + 1;
  }
  return npos;
}

std::size_t skip_leading_crlf(std::string_view bytes) {
  std::size_t skipped = 0;
  while (skipped < 4 && bytes.substr(skipped, 2) == "\r\n") skipped += 2;
  return skipped;
}

Error check_partial_head(std::string_view bytes, const RequestLimits& limits) {
  LineScan scan(bytes, limits);
  std::string_view text;
  if (!scan.next(text)) {
    if (scan.error()) return scan.error();
    if (auto error = check_partial_line(bytes, limits)) return error;
    return scan.check_rest();
  }
  RequestLine line;
  if (auto error = read_request_line(text, limits, line)) return error;
  while (scan.next(text)) continue;
  if (scan.error()) return scan.error();
  if (bytes.size() > limits.head_bytes) return Errc::head_too_large;
  return scan.check_rest();
}

Error scan_head(std::string_view head, const RequestLimits& limits, RequestLine& line) {
  LineScan scan(head, limits);
  std::string_view text;
  if (!scan.next(text)) return scan.error() ? scan.error() : Error(Errc::malformed_request);
  if (auto error = read_request_line(text, limits, line)) return error;
  if (head.size() > limits.head_bytes) return Errc::head_too_large;
  while (scan.next(text) && !text.empty()) continue;
  if (scan.error()) return scan.error();
  return text.empty() && scan.rest().empty() ? Error{} : Error(Errc::malformed_request);
}

}  // namespace fwd
