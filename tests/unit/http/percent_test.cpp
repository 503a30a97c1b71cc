#include "watchdog/http/percent.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

using namespace std::string_view_literals;

TEST(Percent, escapes_become_bytes) {
  struct Row {
    std::string_view text;
    std::string_view bytes;
  };
  for (const Row& row : {Row{"", ""}, Row{"a+b", "a+b"}, Row{"%41%62%2f%2F", "Ab//"}, Row{"%25%2541", "%%41"},
                         Row{"%e2%82%AC", "\u20ac"}, Row{"x%00y", "x\0y"sv}, Row{"%ff", "\xff"}, Row{"\xff", "\xff"}}) {
    std::string out = "before ";
    EXPECT_TRUE(append_percent_decoded(out, row.text)) << row.text;
    EXPECT_EQ(out, std::string("before ").append(row.bytes));
  }
}

TEST(Percent, malformed_escapes_are_refused) {
  for (auto text : {"%"sv, "%4"sv, "a%"sv, "a%4"sv, "%zz"sv, "%4g"sv, "%g4"sv, "%%41"sv, "%4%31"sv, "% 41"sv, "%+1"sv,
                    "%0x41"sv, "%4\0"sv, "%\xff\xff"sv}) {
    std::string out;
    EXPECT_FALSE(append_percent_decoded(out, text)) << text;
  }
}

}  // namespace
}  // namespace fwd
