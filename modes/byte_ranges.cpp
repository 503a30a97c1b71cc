#include "modes/byte_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

/// One or more digits; a number that is too large counts as the largest.
std::optional<std::uint64_t> read_position(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

enum class Spec { malformed, behind_end, fits };

/// `-500`: the last 500 bytes.
Spec read_suffix(std::string_view digits, std::uint64_t size, ByteRange& out) {
  const auto count = read_position(digits);
  if (!count) return Spec::malformed;
  if (*count == 0) return Spec::behind_end;
  out.count = std::min(*count, size);
  out.first = size - out.count;
  return Spec::fits;
}

/// `0-0`, `500-` or `-500`.
Spec read_spec(std::string_view spec, std::uint64_t size, ByteRange& out) {
  const auto dash = spec.find('-');
  if (dash == std::string_view::npos) return Spec::malformed;
  if (dash == 0) return read_suffix(spec.substr(1), size, out);
  const auto first = read_position(spec.substr(0, dash));
  const std::string_view end = spec.substr(dash + 1);
  const auto last = end.empty() ? std::numeric_limits<std::uint64_t>::max() : read_position(end);
  if (!first || !last || *last < *first) return Spec::malformed;
  if (*first >= size) return Spec::behind_end;
  out.first = *first;
  out.count = std::min(*last, size - 1) - *first + 1;
  return Spec::fits;
}

}  // namespace

RangeChoice choose_ranges(std::string_view field, std::uint64_t size) {
  using Kind = RangeChoice::Kind;
  constexpr std::string_view kUnit = "bytes=";
  if (size == 0 || !same_name(field.substr(0, kUnit.size()), kUnit)) return {};
  std::string_view list = field.substr(kUnit.size());
  RangeChoice choice{.kind = Kind::unsatisfiable};
  std::size_t count = 0;
  std::uint64_t left = size;  // of what may be asked for
  for (auto spec = next_element(list); !spec.empty(); spec = next_element(list)) {
    ByteRange range;
    const Spec found = read_spec(spec, size, range);
    if (found == Spec::malformed || ++count > kMostRanges) return {};
    if (found == Spec::behind_end) continue;
    if (range.count > left) return {};
    left -= range.count;
    choice.kind = Kind::parts;
    choice.ranges.push_back(range);
  }
  return count == 0 ? RangeChoice{} : choice;
}

}  // namespace fwd
