#include "watchdog/config/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace fwd {
namespace {

constexpr std::size_t kLongestName = 64;  // the price grows with the length; no name of ours is half as long

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Levenshtein's distance: how many characters to insert, delete or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view text, const std::vector<std::string_view>& names) {
  const std::string wanted = lower(text.substr(0, kLongestName));
  std::size_t least = wanted.size() / 3 + 1;  // a third of the characters wrong is another word
  std::string_view nearest;
  for (const std::string_view name : names) {
    const std::size_t difference = distance(wanted, name);
    if (difference > least || (difference == least && !nearest.empty())) continue;
    least = difference;
    nearest = name;
  }
  return nearest;
}

}  // namespace fwd
