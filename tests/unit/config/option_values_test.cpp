#include "watchdog/config/option_values.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

TEST(ParseBoolean, reads_go_texts_and_plain_words) {
  for (const auto* text : {"1", "t", "T", "TRUE", "true", "True", "yes", "Yes", "YES", "on", "On", "ON"}) {
    ASSERT_TRUE(parse_boolean(text)) << text;
    EXPECT_TRUE(*parse_boolean(text)) << text;
  }
  for (const auto* text : {"0", "f", "F", "FALSE", "false", "False", "no", "No", "NO", "off", "Off", "OFF"}) {
    ASSERT_TRUE(parse_boolean(text)) << text;
    EXPECT_FALSE(*parse_boolean(text)) << text;
  }
  for (const auto* text : {"", " true", "true ", "tRUE", "y", "n", "2", "01", "enabled"})
    EXPECT_FALSE(parse_boolean(text)) << text;
}

TEST(ParseInteger, reads_decimal_digits_alone) {
  EXPECT_EQ(*parse_integer("0"), 0);
  EXPECT_EQ(*parse_integer("-1"), -1);
  EXPECT_EQ(*parse_integer("007"), 7);
  EXPECT_EQ(*parse_integer("9223372036854775807"), INT64_MAX);
  for (const auto* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "abc", "9223372036854775808"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(ParseBytes, reads_suffixes_as_kubernetes_does) {
  struct Row {
    std::string_view text;
    std::size_t bytes;
  };
  constexpr Row kRows[] = {{"0", 0},
                           {"1", 1},
                           {"65536", 65536},
                           {"1k", 1000},
                           {"1K", 1000},
                           {"64Ki", 65536},
                           {"2M", 2'000'000},
                           {"2Mi", 2'097'152},
                           {"1G", 1000000000},
                           {"1Gi", 1073741824},
                           {"18446744073709551615", SIZE_MAX}};
  for (const Row& row : kRows) {
    ASSERT_TRUE(parse_bytes(row.text)) << row.text;
    EXPECT_EQ(*parse_bytes(row.text), row.bytes) << row.text;
  }
  for (const auto* text : {"", "Ki", "-1", "+1", "1 K", "1KB", "1kib", "1m", "1.5M", "1T", "18446744073709551616",
                           "18014398509481984Ki", "99999999999999999999G"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(InQuotes, stays_on_one_line) {
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes("a b"), "\"a b\"");
  EXPECT_EQ(in_quotes("a\"\\b\n\t\x01\x7f"), R"("a\"\\b\n\t\x01\x7f")");
  EXPECT_EQ(in_quotes("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(in_quotes(std::string(300, 'x')), "\"" + std::string(200, 'x') + "\"...");
}

}  // namespace
}  // namespace fwd
