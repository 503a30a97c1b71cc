#include "watchdog/process/command.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace fwd {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

/// The rest of a text that is read from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.front(); }
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take_if(char wanted) {
    if (at_end() || peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string_view> take_count(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(peek())) rest_.remove_prefix(1);
  }
  void skip_blanks_and_joined_lines() {
    for (skip_blanks(); rest_.starts_with("\\\n"); skip_blanks()) rest_.remove_prefix(2);
  }

 private:
  std::string_view rest_;
};

// Each take_… below starts behind its opening character and gives false for what cannot be read.

bool take_single_quoted(Cursor& in, std::string& word) {
  while (!in.at_end()) {
    const char c = in.take();
    if (c == '\'') return true;
    word += c;
  }
  return false;
}

bool take_double_quoted(Cursor& in, std::string& word) {
  while (!in.at_end()) {
    const char c = in.take();
    if (c == '"') return true;
    if (c != '\\') {
      word += c;
      continue;
    }
    if (in.at_end()) return false;
    const char next = in.take();
    if (next == '\n') continue;  // a line that goes on
    if (std::string_view("\"\\$`").find(next) == std::string_view::npos) word += '\\';
    word += next;
  }
  return false;
}

bool take_word(Cursor& in, std::string& word) {
  while (!in.at_end() && !is_blank(in.peek())) {
    const char c = in.take();
    if (c == '\'') {
      if (!take_single_quoted(in, word)) return false;
    } else if (c == '"') {
      if (!take_double_quoted(in, word)) return false;
    } else if (c == '\\') {
      if (in.at_end()) return false;
      const char next = in.take();
      if (next != '\n') word += next;
    } else {
      word += c;
    }
  }
  return true;
}

std::optional<Words> split_as_shell(Cursor in) {
  Words words;
  for (in.skip_blanks_and_joined_lines(); !in.at_end(); in.skip_blanks_and_joined_lines())
    if (!take_word(in, words.emplace_back())) return std::nullopt;
  return words;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto tail = [&out, point](int shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::optional<std::uint32_t> take_hex4(Cursor& in) {
  const auto digits = in.take_count(4);
  std::uint32_t unit = 0;
  if (!digits) return std::nullopt;
  const auto [end, failure] = std::from_chars(digits->data(), digits->data() + 4, unit, 16);
  if (failure != std::errc{} || end != digits->data() + 4) return std::nullopt;
  return unit;
}

bool take_json_unicode(Cursor& in, std::string& word) {
  const auto first = take_hex4(in);
  if (!first) return false;
  if (*first < 0xd800 || *first > 0xdfff) {
    append_utf8(word, *first);
    return true;
  }
  if (*first > 0xdbff || !in.take_if('\\') || !in.take_if('u')) return false;  // half of a pair
  const auto second = take_hex4(in);
  if (!second || *second < 0xdc00 || *second > 0xdfff) return false;
  append_utf8(word, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
  return true;
}

bool take_json_escape(Cursor& in, std::string& word) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (in.at_end()) return false;
  const char name = in.take();
  if (name == 'u') return take_json_unicode(in, word);
  const std::size_t at = kNames.find(name);
  if (at == std::string_view::npos) return false;
  word += kMeanings[at];
  return true;
}

bool take_json_string(Cursor& in, std::string& word) {
  while (!in.at_end()) {
    const char c = in.take();
    if (c == '"') return true;
    if (static_cast<unsigned char>(c) < ' ') return false;  // RFC 8259: must be escaped
    if (c != '\\') {
      word += c;
    } else if (!take_json_escape(in, word)) {
      return false;
    }
  }
  return false;
}

std::optional<Words> split_as_json(Cursor in) {
  Words words;
  bool more = true;
  while (more) {
    in.skip_blanks();
    if (!in.take_if('"') || !take_json_string(in, words.emplace_back())) return std::nullopt;
    in.skip_blanks();
    more = in.take_if(',');
  }
  if (!in.take_if(']')) return std::nullopt;
  in.skip_blanks();
  return in.at_end() ? std::optional(std::move(words)) : std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) {
  Cursor in(text);
  in.skip_blanks();
  auto words = in.take_if('[') ? split_as_json(in) : split_as_shell(in);
  if (!words || words->empty() || words->front().empty()) return Errc::invalid_value;
  for (const std::string& word : *words)
    if (word.find('\0') != std::string::npos) return Errc::invalid_value;  // argv ends at a NUL
  return std::move(*words);
}

}  // namespace fwd
