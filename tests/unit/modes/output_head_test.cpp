#include "modes/output_head.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fwd {
namespace {

std::string fields_of(const Answer& answer) {
  std::string text;
  for (const Field& field : answer.fields)
    text.append(field.name).append(": ").append(field.value).append("\n");
  return text;
}

TEST(OutputHead, without_cgi_response_nothing_of_the_output_is_looked_at) {
  OutputHead head(false, "a/b");
  EXPECT_TRUE(head.decided());
  EXPECT_EQ(head.body(), "");
  head.add({"X-Duration-Seconds", "1.5"});
  const Answer answer = head.answer(7);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.length, 7U);
  EXPECT_EQ(fields_of(answer), "Content-Type: a/b\nX-Duration-Seconds: 1.5\n");
}

TEST(OutputHead, an_empty_content_type_is_no_field) {
  OutputHead head(false, "");
  EXPECT_EQ(fields_of(head.answer(std::nullopt)), "");
  EXPECT_FALSE(head.answer(std::nullopt).length);
}

TEST(OutputHead, a_block_that_comes_byte_by_byte_makes_the_head) {
  OutputHead head(true, "a/b");
  const std::string output = "Status: 404 Gone Away\nContent-Type: x/y\n\nbo";
  std::size_t fed = 0;
  for (; !head.decided(); ++fed) ASSERT_FALSE(head.feed(std::string_view(output).substr(fed, 1)));
  EXPECT_EQ(fed, output.size() - 2);
  const Answer answer = head.answer(std::nullopt);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.reason, "Gone Away");
  EXPECT_EQ(fields_of(answer), "Content-Type: x/y\n");
}

TEST(OutputHead, a_block_without_a_type_gets_the_configured_one) {
  OutputHead head(true, "a/b");
  ASSERT_FALSE(head.feed("X-A: 1\n\nbody"));
  EXPECT_TRUE(head.decided());
  EXPECT_EQ(head.body(), "body");
  EXPECT_EQ(fields_of(head.answer(4)), "X-A: 1\nContent-Type: a/b\n");
}

TEST(OutputHead, output_that_ends_inside_its_block_is_a_body) {
  OutputHead head(true, "a/b");
  ASSERT_FALSE(head.feed("X-A: 1\n"));
  EXPECT_FALSE(head.decided());
  head.end();
  EXPECT_TRUE(head.decided());
  EXPECT_EQ(head.body(), "X-A: 1\n");
  EXPECT_EQ(fields_of(head.answer(7)), "Content-Type: a/b\n");
}

TEST(OutputHead, a_malformed_block_is_an_error) {
  OutputHead head(true, "a/b");
  EXPECT_EQ(head.feed("X-A: 1\nno field\n\n"), Errc::worker_protocol);
}

}  // namespace
}  // namespace fwd
