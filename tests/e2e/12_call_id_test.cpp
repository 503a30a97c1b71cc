// In JSON, what a function says while it has a request carries that request's id.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// The first log line with `part` in it.
std::string line_with(const WatchdogProcess& watchdog, const std::string& part) {
  EXPECT_TRUE(watchdog.wait_for_line(part)) << watchdog.log();
  for (const std::string& line : watchdog.lines())
    if (line.find(part) != std::string::npos) return line;
  return "";
}

bool has_call(const std::string& line, const std::string& id) {
  return line.find("\"call_id\":\"" + id + "\"") != std::string::npos;
}

TEST(call_id, stands_in_what_a_function_says_meanwhile) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  (void)post(watchdog, "/log", "spoken", {{"X-Call-Id", "one"}});
  (void)post(watchdog, "/print-before", "x", {{"X-Call-Id", "two"}});
  (void)post(watchdog, "/print-after", "x", {{"X-Call-Id", "three"}});
  EXPECT_TRUE(has_call(line_with(watchdog, "log spoken"), "one")) << watchdog.log();
  EXPECT_TRUE(has_call(line_with(watchdog, "second stray line"), "two")) << watchdog.log();
  EXPECT_TRUE(has_call(line_with(watchdog, "stray after the answer"), "three")) << watchdog.log();
}

TEST(call_id, of_an_earlier_request_is_not_kept) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}, "--print-when-idle"));
  (void)post(watchdog, "/echo", "x", {{"X-Call-Id", "one"}});
  EXPECT_FALSE(has_call(line_with(watchdog, "stray while idle"), "one")) << watchdog.log();
  (void)post(watchdog, "/log", "nameless");
  EXPECT_EQ(line_with(watchdog, "log nameless").find("call_id"), std::string::npos);
}

TEST(call_id, of_each_request_in_a_pipeline) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}, {"afterburn_pipeline", "4"}}));
  Gate gate(watchdog);
  HttpClient held(watchdog.port()), named(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path(), {{"X-Call-Id", "one"}})));
  EXPECT_TRUE(has_call(line_with(watchdog, "begun /wait"), "one")) << watchdog.log();
  ASSERT_TRUE(named.send(render_request("POST", "/print-before", "x", {{"X-Call-Id", "two"}})));
  gate.open();
  EXPECT_TRUE(held.find_answer());
  EXPECT_TRUE(named.find_answer());
  EXPECT_TRUE(has_call(line_with(watchdog, "first stray line"), "two")) << watchdog.log();
}

TEST(call_id, stays_out_of_the_text_format) {
  WatchdogProcess watchdog(misbehave());
  (void)post(watchdog, "/log", "spoken", {{"X-Call-Id", "secret"}});
  EXPECT_EQ(line_with(watchdog, "log spoken").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace fwd::test
