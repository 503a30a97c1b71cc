#include "watchdog/server/access_log.hpp"

#include <chrono>
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

bool AccessLog::is_wanted(const ServerExchange& exchange, bool failed) const {
  if (options_.logged == LoggedRequests::none) return false;
  if (options_.logged == LoggedRequests::errors && !failed && exchange.status() < 400) return false;
  if (log_.format() == LogFormat::text && options_.style == AccessLogStyle::none && !failed) return false;
  return !exchange.request().find("User-Agent").value_or("").starts_with(kProbe);
}

void AccessLog::write(const ServerExchange& exchange, nanoseconds duration, std::string_view note) {
  if (!is_wanted(exchange, !note.empty())) return;
  if (log_.format() == LogFormat::text) return write_text(exchange, duration, note);
  write_values(exchange, duration, note);
}

void AccessLog::write_text(const ServerExchange& exchange, nanoseconds duration, std::string_view note) {
  const RequestHead& request = exchange.request();
  line_.clear();
  append_escaped(line_, request.method());
  line_ += ' ';
  append_escaped(line_, request.target());
  line_.append(" - ");
  append_number(line_, static_cast<std::uint64_t>(exchange.status()));
  const std::string_view reason = reason_for(exchange.status());
  if (options_.style == AccessLogStyle::with_reason && !reason.empty()) (line_ += ' ').append(reason);
  line_.append(" - ContentLength: ").append(human_size(exchange.body_bytes()));
  line_.append(" (");
  append_seconds(line_, duration);
  line_.append("s)");
  if (options_.call_ids) {
    line_.append(" [");
    append_escaped(line_, request.find("X-Call-Id").value_or("none"));
    line_ += ']';
  }
  if (!note.empty()) line_.append(": ").append(note);
  log_.say(line_);
}

void AccessLog::write_values(const ServerExchange& exchange, nanoseconds duration, std::string_view note) {
  const RequestHead& request = exchange.request();
  const std::string_view trace = exchange.trace_id();
  values_.begin(std::chrono::system_clock::now());
  values_.text("level", note.empty() ? "info" : "error");
  values_.text("msg", "request");
  values_.text("method", request.method());
  values_.text("path", request.target().substr(0, kMostEscapedBytes));
  values_.number("status", static_cast<std::uint64_t>(exchange.status()));
  values_.number("bytes", exchange.body_bytes());
  values_.seconds("duration_s", duration);
  if (const auto call = request.find("X-Call-Id")) values_.text("call_id", call->substr(0, kMostEscapedBytes));
  if (!trace.empty()) values_.text("trace_id", trace);
  values_.text("remote", exchange.peer().address);
  if (!note.empty()) values_.text("error", note);
  log_.put(values_.end());
}

}  // namespace fwd
