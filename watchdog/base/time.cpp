#include "watchdog/base/time.hpp"

#include <charconv>
#include <cstdint>
#include <limits>

namespace fwd {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1'000},          {"\xC2\xB5s", 1'000},
                           {"\xCE\xBCs", 1'000}, {"ms", 1'000'000},   {"s", 1'000'000'000},
                           {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

/// Takes one `12.5ms` off the front of `text`; long double holds every 64-bit count exactly.
Result<long double> take_part(std::string_view& text) {
  std::size_t end = 0;
  long double value = 0;
  for (; end < text.size() && is_digit(text[end]); ++end) value = value * 10 + (text[end] - '0');
  bool digits = end > 0;
  if (end < text.size() && text[end] == '.') {
    long double scale = 0.1L;
    for (++end; end < text.size() && is_digit(text[end]); ++end, scale /= 10) {
      value += (text[end] - '0') * scale;
      digits = true;
    }
  }
  std::size_t unit_end = end;
  while (unit_end < text.size() && text[unit_end] != '.' && !is_digit(text[unit_end])) ++unit_end;
  const Unit* unit = find_unit(text.substr(end, unit_end - end));
  if (!digits || unit == nullptr) return Errc::invalid_value;
  text.remove_prefix(unit_end);
  return value * unit->nanoseconds;
}

std::string trimmed_fraction(std::int64_t whole, std::int64_t fraction, int digits, std::string_view unit) {
  std::string text = std::to_string(whole);
  if (fraction != 0) {
    std::string tail = std::to_string(fraction);
    tail.insert(0, digits - tail.size(), '0');
    tail.erase(tail.find_last_not_of('0') + 1);
    text += '.' + tail;
  }
  return text.append(unit);
}

}  // namespace

Result<nanoseconds> parse_go_duration(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "0") return nanoseconds::zero();
  if (text.empty()) return Errc::invalid_value;
  long double total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return part.error();
    total += *part;
  }
  if (total > static_cast<long double>(std::numeric_limits<std::int64_t>::max())) return Errc::invalid_value;
  const auto count = static_cast<std::int64_t>(total);
  return nanoseconds(negative ? -count : count);
}

Result<nanoseconds> parse_duration(std::string_view text) {
  std::int64_t whole = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_count = failure == std::errc{} && end == text.data() + text.size();
  if (!is_count) return parse_go_duration(text);
  if (whole < 0 || whole > std::numeric_limits<std::int64_t>::max() / 1'000'000'000) return Errc::invalid_value;
  return seconds(whole);
}

std::string to_go_string(nanoseconds length) {
  std::int64_t count = length.count();
  if (count == 0) return "0s";
  const std::string sign = count < 0 ? "-" : "";
  if (count < 0) count = -count;
  if (count < 1'000) return sign + std::to_string(count) + "ns";
  if (count < 1'000'000) return sign + trimmed_fraction(count / 1'000, count % 1'000, 3, "\xC2\xB5s");
  if (count < 1'000'000'000) return sign + trimmed_fraction(count / 1'000'000, count % 1'000'000, 6, "ms");
  const std::int64_t total_seconds = count / 1'000'000'000;
  std::string text = sign;
  if (total_seconds >= 3600) text += std::to_string(total_seconds / 3600) + "h";
  if (total_seconds >= 60) text += std::to_string(total_seconds / 60 % 60) + "m";
  return text + trimmed_fraction(total_seconds % 60, count % 1'000'000'000, 9, "s");
}

}  // namespace fwd
