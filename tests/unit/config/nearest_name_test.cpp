#include "watchdog/config/nearest_name.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

TEST(NearestName, is_close_or_none) {
  const std::vector<std::string_view> names = {"streaming", "static", "http"};
  EXPECT_EQ(nearest_name("htpp", names), "http");
  EXPECT_EQ(nearest_name("HTTP", names), "http");
  EXPECT_EQ(nearest_name("steaming", names), "streaming");
  EXPECT_EQ(nearest_name("statics", names), "static");
  EXPECT_EQ(nearest_name("static", names), "static");
  EXPECT_EQ(nearest_name("lambda", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("http", {}), "");
}

TEST(NearestName, first_of_equals_wins) {
  EXPECT_EQ(nearest_name("aaac", {"aaab", "aaad"}), "aaab");
}

TEST(NearestName, a_long_text_costs_no_more_than_its_beginning) {
  EXPECT_EQ(nearest_name(std::string(10'000'000, 'a'), {"aaaa", "http"}), "");
}

}  // namespace
}  // namespace fwd
