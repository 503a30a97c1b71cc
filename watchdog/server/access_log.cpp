#include "watchdog/server/access_log.hpp"

#include <cstdio>

#include "watchdog/http/render.hpp"
#include "watchdog/http/response_head.hpp"

namespace fwd {
namespace {

constexpr std::size_t kMostEscapedBytes = 1024;
constexpr std::string_view kProbe = "kube-probe";

/// `0.0013`: seconds to four places.
void append_seconds(std::string& out, nanoseconds length) {
  const auto tenths_of_milliseconds = (length.count() + 50'000) / 100'000;
  append_number(out, static_cast<std::uint64_t>(tenths_of_milliseconds / 10'000));
  const std::size_t point = out.size();
  append_number(out, static_cast<std::uint64_t>(10'000 + tenths_of_milliseconds % 10'000));
  out[point] = '.';  // where the leading 1 stood
}

}  // namespace

std::string human_size(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return std::to_string(bytes) + "B";
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < std::size(kUnits); ++unit) size /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%s", size, kUnits[unit]);
  return text;
}

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text.substr(0, kMostEscapedBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out.append("\\x");
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  if (text.size() > kMostEscapedBytes) out.append("...");
}

void AccessLog::write(const ServerExchange& exchange, nanoseconds duration, std::string_view note) {
  const RequestHead& request = exchange.request();
  if (request.find("User-Agent").value_or("").starts_with(kProbe)) return;
  line_.clear();
  append_escaped(line_, request.method());
  line_ += ' ';
  append_escaped(line_, request.target());
  line_.append(" - ");
  append_number(line_, static_cast<std::uint64_t>(exchange.status()));
  line_ += ' ';
  line_.append(reason_for(exchange.status())).append(" - ContentLength: ").append(human_size(exchange.body_bytes()));
  line_.append(" (");
  append_seconds(line_, duration);
  line_.append("s)");
  if (call_ids_) {
    line_.append(" [");
    append_escaped(line_, request.find("X-Call-Id").value_or("none"));
    line_ += ']';
  }
  if (!note.empty()) line_.append(": ").append(note);
  log_.say(line_);
}

}  // namespace fwd
