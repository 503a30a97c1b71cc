#include "watchdog/base/time.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

struct Row {
  const char* text;
  std::int64_t nanoseconds;
};

TEST(Duration, go_durations_are_read) {
  const Row rows[] = {{"0", 0},           {"1s", 1'000'000'000},   {"-5s", -5'000'000'000}, {"+2ms", 2'000'000},
                      {"1m30s", 90'000'000'000}, {"1.5h", 5'400'000'000'000}, {"1500ms", 1'500'000'000},
                      {".5s", 500'000'000}, {"1us", 1'000},        {"1\xC2\xB5s", 1'000},   {"3ns", 3}};
  for (const Row& row : rows) {
    const auto read = parse_go_duration(row.text);
    ASSERT_TRUE(read) << row.text;
    EXPECT_EQ(read->count(), row.nanoseconds) << row.text;
  }
}

TEST(Duration, a_whole_number_is_seconds) {
  EXPECT_EQ(*parse_duration("30"), seconds(30));
  EXPECT_EQ(*parse_duration("0"), seconds(0));
}

TEST(Duration, anything_else_is_an_error) {
  for (const char* text : {"", "s", "1", "-", "1x", "1s2", "1..s", " 1s", "1s ", "1 s", ".s", "10000000000h"})
    EXPECT_FALSE(parse_go_duration(text)) << text;
  for (const char* text : {"", "-5", "1x", "99999999999999999999", "9999999999999"}) EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Duration, is_printed_as_go_prints_it) {
  EXPECT_EQ(to_go_string(seconds(0)), "0s");
  EXPECT_EQ(to_go_string(seconds(30)), "30s");
  EXPECT_EQ(to_go_string(seconds(90)), "1m30s");
  EXPECT_EQ(to_go_string(seconds(3600)), "1h0m0s");
  EXPECT_EQ(to_go_string(milliseconds(1500)), "1.5s");
  EXPECT_EQ(to_go_string(milliseconds(500)), "500ms");
  EXPECT_EQ(to_go_string(nanoseconds(1'500)), "1.5\xC2\xB5s");
  EXPECT_EQ(to_go_string(-seconds(5)), "-5s");
}

TEST(DeadlineAfter, no_length_means_no_limit) {
  const Clock::time_point start{};
  EXPECT_EQ(deadline_after(start, seconds(0)), kNever);
  EXPECT_EQ(deadline_after(start, -seconds(1)), kNever);
  EXPECT_EQ(deadline_after(start, seconds(2)), start + seconds(2));
  EXPECT_EQ(deadline_after(Clock::now(), nanoseconds::max()), kNever);
  EXPECT_EQ(deadline_after(Clock::now(), *parse_duration("2562047h")), kNever);
}

}  // namespace
}  // namespace fwd
