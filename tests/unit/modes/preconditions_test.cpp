#include "modes/preconditions.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

constexpr std::string_view kTag = "\"a1-b2\"";
constexpr std::int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

class Request {
 public:
  explicit Request(std::string_view fields) {
    const std::string head = "GET /a HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
    EXPECT_FALSE(head_.assign(head, RequestLimits{})) << head;
  }
  const RequestHead& head() const { return head_; }

 private:
  RequestHead head_;
};

const std::string kSame = "Sun, 06 Nov 1994 08:49:37 GMT\r\n";
const std::string kBefore = "Sun, 06 Nov 1994 08:49:36 GMT\r\n";
const std::string kAfter = "Sun, 06 Nov 1994 08:49:38 GMT\r\n";

TEST(preconditions, are_checked_in_the_order_of_the_standard) {
  using enum Precondition;
  const std::pair<std::string, Precondition> cases[] = {
      {"", holds},

      {"If-None-Match: \"a1-b2\"\r\n", not_modified},
      {"If-None-Match: W/\"a1-b2\"\r\n", not_modified},
      {"If-None-Match: *\r\n", not_modified},
      {"If-None-Match: \"x\", \"a1-b2\"\r\n", not_modified},
      {"If-None-Match: \"x,y\",,W/\"a1-b2\" , \"z\"\r\n", not_modified},
      {"If-None-Match: \"x\"\r\nif-none-match: \"a1-b2\"\r\n", not_modified},
      {"If-None-Match: \"x\"\r\n", holds},
      {"If-None-Match: \"*\"\r\n", holds},
      {"If-None-Match: a1-b2\r\n", holds},
      {"If-None-Match: \"a1-b2\r\n", holds},
      {"If-None-Match: w/\"a1-b2\"\r\n", holds},
      {"If-None-Match: \"A1-B2\"\r\n", holds},
      {"If-None-Match:\r\n", holds},

      {"If-Match: \"a1-b2\"\r\n", holds},
      {"If-Match: *\r\n", holds},
      {"If-Match: \"x\", \"a1-b2\"\r\n", holds},
      {"If-Match: W/\"a1-b2\"\r\n", failed},
      {"If-Match: \"x\"\r\n", failed},
      {"If-Match:\r\n", failed},

      {"If-Modified-Since: " + kSame, not_modified},
      {"If-Modified-Since: " + kAfter, not_modified},
      {"If-Modified-Since: " + kBefore, holds},
      {"If-Modified-Since: yesterday\r\n", holds},
      {"If-Modified-Since: Sun Nov  6 08:49:37 1994\r\n", not_modified},

      {"If-Unmodified-Since: " + kSame, holds},
      {"If-Unmodified-Since: " + kAfter, holds},
      {"If-Unmodified-Since: " + kBefore, failed},
      {"If-Unmodified-Since: 0\r\n", holds},

      {"If-None-Match: \"x\"\r\nIf-Modified-Since: " + kSame, holds},  // the date does not count beside a tag
      {"If-None-Match: \"a1-b2\"\r\nIf-Modified-Since: " + kBefore, not_modified},
      {"If-Match: \"a1-b2\"\r\nIf-Unmodified-Since: " + kBefore, holds},
      {"If-Match: \"x\"\r\nIf-Unmodified-Since: " + kSame, failed},
      {"If-Match: \"a1-b2\"\r\nIf-None-Match: \"a1-b2\"\r\n", not_modified},
      {"If-Match: \"x\"\r\nIf-None-Match: \"a1-b2\"\r\n", failed},
      {"If-Unmodified-Since: " + kSame + "If-Modified-Since: " + kSame, not_modified},
      {"If-Unmodified-Since: " + kBefore + "If-None-Match: *\r\n", failed},
  };
  for (const auto& [fields, expected] : cases)
    EXPECT_EQ(check_preconditions(Request(fields).head(), {kTag, kModified}), expected) << fields;
}

TEST(preconditions, dates_do_not_count_for_a_file_without_one) {
  for (const std::string name : {"If-Modified-Since: ", "If-Unmodified-Since: "}) {
    for (const std::string& date : {kBefore, kSame, kAfter})
      EXPECT_EQ(check_preconditions(Request(name + date).head(), {kTag, std::nullopt}), Precondition::holds);
  }
}

TEST(preconditions, if_range_takes_one_strong_tag_or_the_exact_date) {
  const std::pair<std::string, bool> cases[] = {
      {"", true},
      {"If-Range: \"a1-b2\"\r\n", true},
      {"If-Range: " + kSame, true},
      {"If-Range: W/\"a1-b2\"\r\n", false},
      {"If-Range: \"x\"\r\n", false},
      {"If-Range: \"x\", \"a1-b2\"\r\n", false},
      {"If-Range: *\r\n", false},
      {"If-Range: " + kAfter, false},
      {"If-Range: " + kBefore, false},
      {"If-Range: never\r\n", false},
      {"If-Range:\r\n", false},
  };
  for (const auto& [fields, expected] : cases)
    EXPECT_EQ(range_counts(Request(fields).head(), {kTag, kModified}), expected) << fields;
  EXPECT_FALSE(range_counts(Request("If-Range: " + kSame).head(), {kTag, std::nullopt}));
}

}  // namespace
}  // namespace fwd
