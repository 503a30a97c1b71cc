#include "watchdog/http/field.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace fwd {
namespace {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
constexpr char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}
constexpr std::uint8_t index(char c) {
  return static_cast<std::uint8_t>(c);
}

/// Eight bytes at `p` with their capital letters made small: 0x20 is set where a byte is in 'A' to 'Z'.
std::uint64_t lower_word(const char* p) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const auto low_bits = word & kEach * 0x7F;
  const auto from_a = low_bits + kEach * (0x80 - 'A');       // the high bit says: at least 'A'
  const auto above_z = low_bits + kEach * (0x80 - 'Z' - 1);  // the high bit says: more than 'Z'
  const auto capital = ~word & (from_a ^ above_z) & kEach * 0x80;
  return word | capital >> 2;
}

/// Letters in the case that their place in a canonical name asks for: [1] at the start of a word.
constexpr auto kCanonical = [] {
  std::array<std::array<char, 256>, 2> table{};
  for (int c = 0; c < 256; ++c) {
    table[0][static_cast<std::size_t>(c)] = lower(static_cast<char>(c));
    table[1][static_cast<std::size_t>(c)] = upper(static_cast<char>(c));
  }
  return table;
}();

bool is_text(std::string_view text) {
  for (char c : text) {
    if ((index(c) < 0x20 && c != '\t') || index(c) == 0x7F) return false;
  }
  return true;
}

constexpr auto kTokenChars = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const char letter = static_cast<char>(c);
    table[static_cast<std::size_t>(c)] = is_letter(letter) || (c >= '0' && c <= '9');
  }
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[index(c)] = true;
  return table;
}();

}  // namespace

bool same_letters(std::string_view a, std::string_view b) {
  const auto size = a.size();
  if (size < sizeof(std::uint64_t)) {
    for (std::size_t i = 0; i < size; ++i) {
      if (lower(a[i]) != lower(b[i])) return false;
    }
    return true;
  }
  for (std::size_t i = 0; i + sizeof(std::uint64_t) < size; i += sizeof(std::uint64_t)) {
    if (lower_word(a.data() + i) != lower_word(b.data() + i)) return false;
  }
  const auto last = size - sizeof(std::uint64_t);  // may overlap what was compared already
  return lower_word(a.data() + last) == lower_word(b.data() + last);
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view next_element(std::string_view& list) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto element = trim_blanks(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (!element.empty()) return element;
  }
  return {};
}

bool has_token(std::string_view list, std::string_view token) {
  for (auto element = next_element(list); !element.empty(); element = next_element(list)) {
    if (same_name(element, token)) return true;
  }
  return false;
}

char* write_canonical(char* out, std::string_view name) {
  std::size_t capital = 1;
  for (char c : name) {
    *out++ = kCanonical[capital][index(c)];
    capital = c == '-';
  }
  return out;
}

void append_canonical(std::string& out, std::string_view name) {
  const auto start = out.size();
  out.resize(start + name.size());
  (void)write_canonical(out.data() + start, name);
}

bool is_hop_by_hop(std::string_view name) {
  switch (name.size()) {  // the lengths of common end-to-end fields rarely get past this
    case 2:
      return same_name(name, "te");
    case 7:
      return same_name(name, "upgrade") || same_name(name, "trailer");
    case 10:
      return same_name(name, "connection") || same_name(name, "keep-alive");
    case 16:
      return same_name(name, "proxy-connection");
    case 17:
      return same_name(name, "transfer-encoding");
    case 18:
      return same_name(name, "proxy-authenticate");
    case 19:
      return same_name(name, "proxy-authorization");
    default:
      return false;
  }
}

bool is_token_char(char c) {
  return kTokenChars[index(c)];
}

bool is_token(std::string_view name) {
  for (char c : name) {
    if (!is_token_char(c)) return false;
  }
  return !name.empty();
}

bool is_field_value(std::string_view value) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  for (; value.size() >= sizeof(std::uint64_t); value.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, value.data(), sizeof word);
    const auto below_blank = (word - kEach * 0x20) & ~word;
    const auto delete_zeroed = word ^ kEach * 0x7F;  // a zero byte is where 0x7F was
    const auto has_delete = (delete_zeroed - kEach) & ~delete_zeroed;
    if (((below_blank | has_delete) & kEach * 0x80) == 0) continue;
    if (!is_text(value.substr(0, sizeof word))) return false;  // or just a tab
  }
  return is_text(value);
}

}  // namespace fwd
