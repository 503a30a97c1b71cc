#include "watchdog/base/log_line.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::system_clock;

constexpr system_clock::time_point kMoment{milliseconds(1'764'547'448'007)};

TEST(log_line, json_has_each_value_under_its_name) {
  LogLine line(LogFormat::json);
  line.begin(kMoment);
  line.text("msg", "it's \"here\"");
  line.number("bytes", 18'446'744'073'709'551'615U);
  line.seconds("duration_s", nanoseconds(1'300'400));
  line.text("empty", "");
  EXPECT_EQ(line.end(),
            "{\"time\":\"2025-12-01T00:04:08.007Z\",\"msg\":\"it's \\\"here\\\"\","
            "\"bytes\":18446744073709551615,\"duration_s\":0.001300,\"empty\":\"\"}\n");
}

TEST(log_line, logfmt_quotes_what_is_no_plain_word) {
  LogLine line(LogFormat::logfmt);
  line.begin(kMoment);
  for (const std::string_view text :
       {"plain/word?a", "two words", "a=b", "say \"hi\"", "back\\slash", "", "\xc3\xa9", "a\nb"})
    line.text("v", text);
  line.number("n", 0);
  EXPECT_EQ(line.end(),
            "time=2025-12-01T00:04:08.007Z v=plain/word?a v=\"two words\" v=\"a=b\" v=\"say \\\"hi\\\"\" "
            "v=\"back\\\\slash\" v=\"\" v=\"\xc3\xa9\" v=\"a\\nb\" n=0\n");
}

TEST(log_line, a_second_line_has_nothing_of_the_first) {
  LogLine line(LogFormat::json);
  line.begin(kMoment);
  line.text("a", "b");
  (void)line.end();
  line.begin(kMoment);
  EXPECT_EQ(line.end(), "{\"time\":\"2025-12-01T00:04:08.007Z\"}\n");
}

TEST(log_line, moments_are_utc_to_the_millisecond_and_never_rounded_up) {
  struct Row {
    nanoseconds since_epoch;
    const char* text;
  };
  constexpr Row kRows[] = {
      {nanoseconds(0), "1970-01-01T00:00:00.000Z"},
      {nanoseconds(999'999'999), "1970-01-01T00:00:00.999Z"},
      {std::chrono::seconds(951'782'399), "2000-02-28T23:59:59.000Z"},
      {std::chrono::seconds(951'782'400), "2000-02-29T00:00:00.000Z"},
      {std::chrono::seconds(1'735'689'599) + milliseconds(50), "2024-12-31T23:59:59.050Z"},
  };
  for (const Row& row : kRows) {
    std::string text;
    append_utc(text, system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(row.since_epoch)));
    EXPECT_EQ(text, row.text);
  }
}

TEST(log_line, seconds_have_six_places) {
  struct Row {
    nanoseconds value;
    const char* text;
  };
  constexpr Row kRows[] = {{nanoseconds(-5), "0.000000"},          {nanoseconds(499), "0.000000"},
                           {nanoseconds(501), "0.000001"},         {milliseconds(10), "0.010000"},
                           {nanoseconds(999'999'900), "1.000000"}, {std::chrono::hours(100), "360000.000000"}};
  for (const Row& row : kRows) {
    LogLine line(LogFormat::logfmt);
    line.begin(kMoment);
    line.seconds("d", row.value);
    EXPECT_EQ(line.end(), "time=2025-12-01T00:04:08.007Z d=" + std::string(row.text) + "\n");
  }
}

std::string escaped(std::string_view text) {
  std::string out = "before ";
  append_json_escaped(out, text);
  EXPECT_TRUE(out.starts_with("before "));
  return out.substr(7);
}

TEST(log_line, what_ends_a_string_or_a_line_is_escaped) {
  struct Row {
    std::string_view text;
    const char* expected;
  };
  const Row rows[] = {
      {"", ""},
      {"plain /%~", "plain /%~"},
      {"\"\\", "\\\"\\\\"},
      {"a\r\nb\tc", "a\\u000d\\nb\\tc"},
      {std::string_view("\0\x1b[31m", 6), "\\u0000\\u001b[31m"},
      {"\x7f", "\\u007f"},
      {"\xc2\x80\xc2\x85\xc2\x9f", "\\u0080\\u0085\\u009f"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\xc2\xa0\xe2\x80\xa7", "\xc2\xa0\xe2\x80\xa7"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf",
       "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"},
  };
  for (const Row& row : rows) EXPECT_EQ(escaped(row.text), row.expected);
}

TEST(log_line, what_is_no_utf8_is_replaced_byte_by_byte) {
  struct Row {
    std::string_view text;
    std::size_t replaced;  // and every byte is
  };
  const Row rows[] = {
      {"\x80", 1},          // a continuation alone
      {"\xc3", 1},          // cut
      {"\xe2\x82", 2},      // cut
      {"\xf0\x9f\x98", 3},  // cut
      {"\xc0\xaf", 2},      // '/' in two bytes
      {"\xc1\xbf", 2},
      {"\xe0\x9f\xbf", 3},      // overlong
      {"\xf0\x8f\xbf\xbf", 4},  // overlong
      {"\xed\xa0\x80", 3},      // a surrogate
      {"\xed\xbf\xbf", 3},
      {"\xf4\x90\x80\x80", 4},  // above U+10FFFF
      {"\xf8\x88\x80\x80\x80", 5},
      {"\xff\xfe", 2},
  };
  for (const Row& row : rows) {
    std::string expected;
    for (std::size_t i = 0; i < row.replaced; ++i) expected += "\\ufffd";
    EXPECT_EQ(escaped(row.text), expected);
  }
  EXPECT_EQ(escaped("a\xc3"
                    "b"),
            "a\\ufffdb")
      << "what follows a cut character is kept";
}

TEST(log_line, every_pair_of_bytes_stays_one_line_and_one_string) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      const std::string text = escaped({bytes, 2});
      bool open = false;  // behind a backslash
      for (const char c : text) {
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << first << " " << second;
        EXPECT_TRUE(open || c != '"') << first << " " << second;
        open = !open && c == '\\';
      }
      EXPECT_FALSE(open) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace fwd
