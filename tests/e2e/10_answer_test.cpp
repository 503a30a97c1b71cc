// The head of an answer: what of the function's is kept, what is ours.

#include <gtest/gtest.h>
#include <regex>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// Answers with the bytes of the request's body, so that a test says what a function says.
constexpr const char* kSaysItsBody = R"(
import sys
source, output = sys.stdin.buffer, sys.stdout.buffer
for line in iter(source.readline, b''):
    length = 0
    while line.strip():
        if line.lower().startswith(b'content-length:'): length = int(line.split(b':')[1])
        line = source.readline()
    output.write(source.read(length))
    output.flush()
)";

class Answer : public testing::Test {
 protected:
  /// What a client reads when the function says `fields` and `body`.
  HttpAnswer of(const std::string& fields, const std::string& body, const std::string& status = "200 OK") {
    const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return post(watchdog_, "/", "HTTP/1.1 " + status + "\r\n" + fields + length + "\r\n" + body);
  }

  WatchdogProcess watchdog_{WatchdogOptions{.function = {"python3", "-c", kSaysItsBody},
                                            .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}}};
};

TEST_F(Answer, a_type_is_guessed_only_for_a_body_that_has_none) {
  struct Case {
    const char* fields;
    const char* body;
    const char* type;  // null: no field at all
  };
  const Case cases[] = {
      {"", "plain text", "text/plain; charset=utf-8"},
      {"", "<!DOCTYPE html><p>", "text/html; charset=utf-8"},
      {"", "\x89PNG\x0D\x0A\x1A\x0A", "image/png"},
      {"", "\x01\x02\x03", "application/octet-stream"},
      {"", "", nullptr},
      {"content-type: application/json\r\n", "<html>", "application/json"},
      {"Content-Type: a/b\r\n", "", "a/b"},
      {"Content-Encoding: gzip\r\n", "\x1f\x8b", nullptr},  // the bytes are not what the type is about
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.fields) + each.body);
    const HttpAnswer answer = of(each.fields, each.body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body, each.body);
    const auto types = answer.all("Content-Type");
    const auto expected = each.type == nullptr ? std::vector<std::string>{} : std::vector<std::string>{each.type};
    EXPECT_EQ(types, expected) << answer.raw_head;
  }
}

TEST_F(Answer, a_date_is_added_unless_the_function_says_one) {
  const std::regex form("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT");
  const HttpAnswer ours = of("", "x");
  ASSERT_EQ(ours.all("Date").size(), 1U) << ours.raw_head;
  EXPECT_TRUE(std::regex_match(ours.all("Date").front(), form)) << ours.raw_head;
  const HttpAnswer theirs = of("date: Tue, 01 Jan 2030 00:00:00 GMT\r\n", "x");
  EXPECT_EQ(theirs.all("Date"), std::vector<std::string>{"Tue, 01 Jan 2030 00:00:00 GMT"});
}

TEST_F(Answer, fields_of_one_connection_are_not_passed_on) {
  const HttpAnswer answer =
      of("Connection: close\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nTE: trailers\r\nTrailer: X\r\n"
         "Upgrade: h2c\r\nX-Kept: 1\r\n",
         "x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("X-Kept"), "1");
  for (const char* name : {"Connection", "Keep-Alive", "Proxy-Authenticate", "TE", "Trailer", "Upgrade"})
    EXPECT_FALSE(answer.header(name)) << name << "\n" << answer.raw_head;
}

TEST_F(Answer, fields_that_connection_names_are_not_passed_on) {
  const HttpAnswer answer = of("Connection: X-Hop\r\nX-Hop: 1\r\nX-Kept: 1\r\n", "x");
  EXPECT_EQ(answer.header("X-Kept"), "1");
  EXPECT_FALSE(answer.header("X-Hop")) << answer.raw_head;
}

TEST_F(Answer, status_reason_and_repeated_fields_are_kept) {
  const HttpAnswer answer = of("X-Twice: a\r\nX-Twice: b\r\nx-Spelt-iTs-wAY: c\r\n", "gone", "418 I am a teapot");
  EXPECT_EQ(answer.status, 418);
  EXPECT_EQ(answer.reason, "I am a teapot");
  EXPECT_EQ(answer.all("X-Twice"), (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(answer.raw_head.find("\r\nx-Spelt-iTs-wAY: c\r\n"), std::string::npos) << answer.raw_head;
  EXPECT_EQ(answer.body, "gone");
}

TEST_F(Answer, no_duration_is_told_unless_it_is_asked_for) {
  EXPECT_FALSE(of("", "x").header("X-Duration-Seconds"));
  WatchdogProcess telling(misbehave({{"duration_header", "true"}}));
  const HttpAnswer answer = post(telling, "/echo");
  const auto duration = answer.header("X-Duration-Seconds");
  ASSERT_TRUE(duration) << answer.raw_head;
  EXPECT_TRUE(std::regex_match(*duration, std::regex("[0-9]+\\.[0-9]{6}"))) << *duration;
  EXPECT_EQ(answer.body, "hello");
}

TEST_F(Answer, an_answer_that_smuggles_framing_is_refused) {
  for (const char* fields : {"Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "X: a\x01z\r\n",
                             "Content-Length: 7\r\n", "no field\r\n"}) {
    const HttpAnswer answer = of(fields, "x");
    EXPECT_EQ(answer.status, 502) << fields << answer.raw_head;
    EXPECT_TRUE(watchdog_.wait_children([](const auto& pids) { return pids.size() == 1; }).size() == 1);
  }
}

}  // namespace
}  // namespace fwd::test
