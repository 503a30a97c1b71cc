#include "watchdog/base/log_line.hpp"

#include <algorithm>
#include <charconv>

namespace fwd {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_digits(std::string& out, std::uint64_t number, std::size_t width) {
  char digits[20];  // of the largest number of 64 bits
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const auto count = static_cast<std::size_t>(end - digits);
  out.append(width > count ? width - count : 0, '0').append(digits, count);
}

/// One character as it stands at the front of a text; no bytes: that is no UTF-8.
struct Character {
  std::size_t bytes = 0;
  char32_t code = 0;
};

/// Shortest forms only, no surrogates, nothing above U+10FFFF. Source: RFC 3629 section 4.
Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || is_surrogate) return {};
  return {length, code};
}

/// Control characters of both kinds, and the separators of lines and paragraphs.
bool ends_or_colours_lines(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

void append_u(std::string& out, char32_t code) {
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 15];
}

/// May stand without quotes in logfmt.
bool is_bare(std::string_view text) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\'; };
  return !text.empty() && std::ranges::all_of(text, plain);
}

}  // namespace

void append_json_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto [bytes, code] = first_character(text);
    if (bytes == 0) {
      out.append("\\ufffd");
    } else if (code == '"' || code == '\\') {
      out.append({'\\', static_cast<char>(code)});
    } else if (code == '\n' || code == '\t') {
      out.append(code == '\n' ? "\\n" : "\\t");
    } else if (ends_or_colours_lines(code)) {
      append_u(out, code);
    } else {
      out.append(text.substr(0, bytes));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
}

void append_utc(std::string& out, std::chrono::system_clock::time_point moment) {
  using namespace std::chrono;
  const auto whole = floor<milliseconds>(moment);
  const auto day = floor<days>(whole);
  const year_month_day date(day);
  const hh_mm_ss time(whole - day);
  append_digits(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  append_digits(out += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(out += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(out += 'T', static_cast<std::uint64_t>(time.hours().count()), 2);
  append_digits(out += ':', static_cast<std::uint64_t>(time.minutes().count()), 2);
  append_digits(out += ':', static_cast<std::uint64_t>(time.seconds().count()), 2);
  append_digits(out += '.', static_cast<std::uint64_t>(time.subseconds().count()), 3);
  out += 'Z';
}

void LogLine::begin(std::chrono::system_clock::time_point now) {
  line_.assign(json_ ? "{\"time\":\"" : "time=");
  append_utc(line_, now);
  if (json_) line_ += '"';
}

void LogLine::begin_value(std::string_view name) {
  line_.append(json_ ? ",\"" : " ").append(name).append(json_ ? "\":" : "=");
}

void LogLine::text(std::string_view name, std::string_view value) {
  begin_value(name);
  if (!json_ && is_bare(value)) {
    line_.append(value);
    return;
  }
  line_ += '"';
  append_json_escaped(line_, value);
  line_ += '"';
}

void LogLine::number(std::string_view name, std::uint64_t value) {
  begin_value(name);
  append_digits(line_, value, 1);
}

void LogLine::seconds(std::string_view name, std::chrono::nanoseconds value) {
  using std::chrono::microseconds;
  constexpr std::uint64_t kInSecond = 1'000'000;
  const auto rounded = std::chrono::round<microseconds>(std::max(value, std::chrono::nanoseconds(0)));
  const auto count = static_cast<std::uint64_t>(rounded.count());
  number(name, count / kInSecond);
  append_digits(line_ += '.', count % kInSecond, 6);
}

std::string_view LogLine::end() {
  line_.append(json_ ? "}\n" : "\n");
  return line_;
}

}  // namespace fwd
