#include "watchdog/http/http_date.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <time.h>

namespace fwd {
namespace {

std::string text_of(std::int64_t seconds) {
  const auto text = format_http_date(seconds);
  return {text.data(), text.size()};
}

TEST(HttpDate, writes_moments_as_rfc_9110_does) {
  struct Row {
    std::int64_t seconds;
    std::string_view text;
  };
  for (const Row& row :
       {Row{0, "Thu, 01 Jan 1970 00:00:00 GMT"}, Row{784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
        Row{951782400, "Tue, 29 Feb 2000 00:00:00 GMT"}, Row{1796070952, "Mon, 30 Nov 2026 20:35:52 GMT"},
        Row{2147483648, "Tue, 19 Jan 2038 03:14:08 GMT"}, Row{-1, "Wed, 31 Dec 1969 23:59:59 GMT"},
        Row{253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"}, Row{253402300800, "Fri, 31 Dec 9999 23:59:59 GMT"},
        Row{INT64_MIN, "Sat, 01 Jan 0000 00:00:00 GMT"}}) {
    EXPECT_EQ(text_of(row.seconds), row.text);
  }
}

TEST(HttpDate, now_is_between_before_and_after) {
  timespec before{};
  ASSERT_EQ(::clock_gettime(CLOCK_REALTIME_COARSE, &before), 0);
  HttpDate date;
  const std::string now(date.now());
  timespec after{};
  ASSERT_EQ(::clock_gettime(CLOCK_REALTIME_COARSE, &after), 0);
  EXPECT_TRUE(now == text_of(before.tv_sec) || now == text_of(after.tv_sec)) << now;
  EXPECT_EQ(date.now().size(), 29U);
}

}  // namespace
}  // namespace fwd
