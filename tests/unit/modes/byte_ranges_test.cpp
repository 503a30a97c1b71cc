#include "modes/byte_ranges.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

/// `200`, `416`, or the ranges as `first-last`.
std::string chosen(std::string_view field, std::uint64_t size) {
  const RangeChoice choice = choose_ranges(field, size);
  if (choice.kind != RangeChoice::Kind::parts) {
    EXPECT_TRUE(choice.ranges.empty());
    return choice.kind == RangeChoice::Kind::whole ? "200" : "416";
  }
  std::string text;
  for (const ByteRange& range : choice.ranges)
    text += (text.empty() ? "" : ",") + std::to_string(range.first) + "-" + std::to_string(range.last());
  return text;
}

TEST(byte_ranges, are_read_as_the_standard_says) {
  struct Case {
    std::string_view field;
    std::uint64_t size;
    std::string_view expected;
  };
  const Case cases[] = {
      {"bytes=0-0", 1000, "0-0"},
      {"bytes=0-0", 1, "0-0"},
      {"bytes=0-499", 1000, "0-499"},
      {"bytes=500-", 1000, "500-999"},
      {"bytes=999-", 1000, "999-999"},
      {"bytes=0-", 1000, "0-999"},
      {"bytes=-500", 1000, "500-999"},  // the last 500, not the first 501
      {"bytes=-1", 1000, "999-999"},
      {"bytes=-1000", 1000, "0-999"},
      {"bytes=-1001", 1000, "0-999"},
      {"bytes=900-5000", 1000, "900-999"},
      {"BYTES=1-2", 1000, "1-2"},
      {"bytes=0-0,-1", 1000, "0-0,999-999"},
      {"bytes= 0-0 ,\t1-1 ", 1000, "0-0,1-1"},
      {"bytes=,,0-0,,", 1000, "0-0"},
      {"bytes=5-6,1-2", 1000, "5-6,1-2"},
      {"bytes=0-9,5-14", 1000, "0-9,5-14"},
      {"bytes=2000-,0-0", 1000, "0-0"},  // one of the two is there
      {"bytes=00000000000000000000000000000000-00000000000000000000000001", 10, "0-1"},

      {"bytes=1000-", 1000, "416"},
      {"bytes=1000-1000", 1000, "416"},
      {"bytes=-0", 1000, "416"},
      {"bytes=2000-,3000-", 1000, "416"},
      {"bytes=99999999999999999999999-", 1000, "416"},
      {"bytes=18446744073709551615-18446744073709551615", 1000, "416"},

      {"", 1000, "200"},
      {"bytes", 1000, "200"},
      {"bytes=", 1000, "200"},
      {"bytes=,", 1000, "200"},
      {"bytes=-", 1000, "200"},
      {"bytes=--1", 1000, "200"},
      {"bytes=1", 1000, "200"},
      {"bytes=2-1", 1000, "200"},
      {"bytes=0-0,2-1", 1000, "200"},  // one bad range spoils all
      {"bytes=a-b", 1000, "200"},
      {"bytes=0x1-2", 1000, "200"},
      {"bytes=+1-2", 1000, "200"},
      {"bytes=0 -1", 1000, "200"},
      {"bytes =0-1", 1000, "200"},
      {"items=0-1", 1000, "200"},
      {"bytes=0-1;2-3", 1000, "200"},
      {"bytes=0-,0-0", 1000, "200"},         // more than there is
      {"bytes=0-599,400-999", 1000, "200"},  // the same

      {"bytes=0-0", 0, "200"},  // no part of nothing can be named
      {"bytes=-5", 0, "200"},
      {"bytes=0-99999999999999999999999", 10, "0-9"},
      {"bytes=-99999999999999999999999", 10, "0-9"},
  };
  for (const Case& each : cases) EXPECT_EQ(chosen(each.field, each.size), each.expected) << each.field;
}

TEST(byte_ranges, too_many_are_none) {
  std::string field = "bytes=0-0";
  for (std::size_t i = 1; i < kMostRanges; ++i) field += "," + std::to_string(i) + "-" + std::to_string(i);
  EXPECT_EQ(choose_ranges(field, 1000).ranges.size(), kMostRanges);
  EXPECT_EQ(chosen(field + ",900-900", 1000), "200");
  EXPECT_EQ(chosen(field + ",5000-", 1000), "200");
}

TEST(byte_ranges, largest_sizes_do_not_overflow) {
  const std::uint64_t size = 18446744073709551615ULL;
  EXPECT_EQ(chosen("bytes=0-18446744073709551615", size), "0-18446744073709551614");
  EXPECT_EQ(chosen("bytes=-18446744073709551615", size), "0-18446744073709551614");
  EXPECT_EQ(chosen("bytes=18446744073709551614-", size), "18446744073709551614-18446744073709551614");
}

}  // namespace
}  // namespace fwd
