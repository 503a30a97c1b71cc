#include "watchdog/http/http_date_reader.hpp"

#include <gtest/gtest.h>

#include "watchdog/http/http_date.hpp"

namespace fwd {
namespace {

TEST(http_date_reader, reads_three_forms) {
  struct Row {
    std::string_view text;
    std::int64_t moment;
  };
  const Row rows[] = {
      {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},  {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
      {"Sun Nov  6 08:49:37 1994", 784111777},       {"Sun Nov 16 08:49:37 1994", 784975777},
      {"Thu, 01 Jan 1970 00:00:00 GMT", 0},          {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
      {"Tue, 29 Feb 2000 00:00:00 GMT", 951782400},  {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
      {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800}, {"Tuesday, 01-Jan-30 00:00:00 GMT", 1893456000},
      {"Mon, 06 Nov 1994 08:49:37 GMT", 784111777},  // it was a Sunday
  };
  for (const Row& row : rows) EXPECT_EQ(read_http_date(row.text), row.moment) << row.text;
}

TEST(http_date_reader, reads_what_we_write) {
  for (const std::int64_t moment : {0LL, 1LL, 784111777LL, 1796070952LL, 4102444799LL}) {
    const HttpDateText text = format_http_date(moment);
    EXPECT_EQ(read_http_date({text.data(), text.size()}), moment);
  }
}

TEST(http_date_reader, refuses_what_is_no_date) {
  for (const char* text : {"",
                           "0",
                           "784111777",
                           "now",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 06 Nov 1994 08:49:37 GMT ",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT",
                           "Sun, 06 Nov 1994 08:60:37 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 32 Nov 1994 08:49:37 GMT",
                           "Thu, 30 Feb 2023 00:00:00 GMT",
                           "Wed, 29 Feb 2023 00:00:00 GMT",
                           "Sun, 06 nov 1994 08:49:37 GMT",
                           "Sun, 06 anF 1994 08:49:37 GMT",
                           "Sun, 06-Nov-1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Su, 06 Nov 1994 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sun Nov  6 08:49:37 1994 GMT",
                           "Sun, +6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov -994 08:49:37 GMT"})
    EXPECT_FALSE(read_http_date(text)) << text;
}

TEST(http_date_reader, refuses_a_date_cut_at_any_place) {
  for (const std::string_view whole :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(read_http_date(whole.substr(0, size))) << whole.substr(0, size);
}

}  // namespace
}  // namespace fwd
