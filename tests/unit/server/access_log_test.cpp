#include "watchdog/server/access_log.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

TEST(access_log, sizes_have_four_digits_and_units_of_a_thousand) {
  struct Row {
    std::uint64_t bytes;
    const char* text;
  };
  constexpr Row kRows[] = {
      {0, "0B"},
      {5, "5B"},
      {46, "46B"},
      {999, "999B"},
      {1000, "1kB"},
      {1024, "1.024kB"},
      {1282, "1.282kB"},
      {12'345, "12.35kB"},  // 12.345 lies a little above its half in binary
      {123'456, "123.5kB"},
      {999'949, "999.9kB"},
      {1'000'000, "1MB"},
      {5'242'880, "5.243MB"},
      {50'000'000, "50MB"},
      {1'073'741'824, "1.074GB"},
      {1'500'000'000'000, "1.5TB"},
      {2'000'000'000'000'000, "2PB"},
      {18'446'744'073'709'551'615U, "18.45EB"},
  };
  for (const Row& row : kRows) EXPECT_EQ(human_size(row.bytes), row.text) << row.bytes;
}

std::string escaped(std::string_view text) {
  std::string out = "before ";
  append_escaped(out, text);
  EXPECT_TRUE(out.starts_with("before "));
  return out.substr(7);
}

TEST(access_log, what_could_end_or_colour_a_line_is_escaped) {
  struct Row {
    std::string_view text;
    const char* expected;
  };
  const Row rows[] = {
      {"", ""},
      {"/plain?a=b&c=%0a~", "/plain?a=b&c=%0a~"},
      {"a b", "a b"},
      {"a\r\nb", "a\\x0d\\x0ab"},
      {std::string_view("\0\x1b[31m", 6), "\\x00\\x1b[31m"},
      {"\t\x7f", "\\x09\\x7f"},
      {"\xc3\xa9\xff\x80", "\\xc3\\xa9\\xff\\x80"},
  };
  for (const Row& row : rows) EXPECT_EQ(escaped(row.text), row.expected);
}

TEST(access_log, every_byte_becomes_printable_ascii) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string text = escaped({&c, 1});
    EXPECT_EQ(text.size(), byte >= 0x20 && byte < 0x7f ? 1U : 4U) << byte;
    for (const char each : text) EXPECT_TRUE(each >= 0x20 && each < 0x7f) << byte;
  }
}

TEST(access_log, texts_are_cut_after_one_kib) {
  const std::string whole(1024, 'x');
  EXPECT_EQ(escaped(whole), whole);
  EXPECT_EQ(escaped(whole + "y"), whole + "...");
  EXPECT_EQ(escaped(std::string(1024 * 1024, '\n')).size(), 4U * 1024 + 3);
}

}  // namespace
}  // namespace fwd
