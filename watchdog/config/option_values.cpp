#include "watchdog/config/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

namespace fwd {
namespace {

constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::string_view kFalse[] = {"0", "f", "F", "FALSE", "false", "False", "no", "No", "NO", "off", "Off", "OFF"};

struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Suffix kSuffixes[] = {{"", 1},
                                {"k", 1000},
                                {"K", 1000},
                                {"M", 1000'000},
                                {"G", 1000'000'000},
                                {"Ki", 1ULL << 10},
                                {"Mi", 1ULL << 20},
                                {"Gi", 1ULL << 30}};

constexpr std::size_t kQuotedBytes = 200;  // enough to recognise a value, short enough for one log line

bool contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void append_escaped(std::string& line, unsigned char c) {
  constexpr char kHex[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    line += {'\\', static_cast<char>(c)};
  } else if (c == '\n') {
    line += "\\n";
  } else if (c == '\t') {
    line += "\\t";
  } else if (c < ' ' || c == 0x7f) {
    line += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
  } else {
    line += static_cast<char>(c);
  }
}

}  // namespace

Result<bool> parse_boolean(std::string_view text) {
  if (contains(kTrue, text)) return true;
  if (contains(kFalse, text)) return false;
  return Errc::invalid_value;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return Errc::invalid_value;
  return number;
}

Result<std::size_t> parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, number);
  if (failure != std::errc{}) return Errc::invalid_value;
  const std::string_view name(end, static_cast<std::size_t>(last - end));
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.name != name) continue;
    if (number > std::numeric_limits<std::size_t>::max() / suffix.factor) return Errc::invalid_value;
    return static_cast<std::size_t>(number * suffix.factor);
  }
  return Errc::invalid_value;
}

std::string in_quotes(std::string_view text) {
  std::string line = "\"";
  for (const char c : text.substr(0, kQuotedBytes)) append_escaped(line, static_cast<unsigned char>(c));
  line += '"';
  if (text.size() > kQuotedBytes) line += "...";
  return line;
}

}  // namespace fwd
