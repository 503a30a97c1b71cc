#include "watchdog/http/field.hpp"

#include <array>
#include <cstdint>

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

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if ((a[i] ^ b[i]) != 0x20 || !is_letter(a[i])) return false;  // letters alone differ by that bit in case only
  }
  return true;
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

void append_canonical(std::string& out, std::string_view name) {
  const auto start = out.size();
  out.append(name);
  bool capital = true;
  for (auto i = start; i < out.size(); ++i) {
    out[i] = capital ? upper(out[i]) : lower(out[i]);
    capital = out[i] == '-';
  }
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
  for (char c : value) {
    if ((index(c) < 0x20 && c != '\t') || index(c) == 0x7F) return false;
  }
  return true;
}

}  // namespace fwd
