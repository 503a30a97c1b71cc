// log_format and access_log: every line is one line of its format, whatever clients and functions write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

using Json = nlohmann::json;

constexpr auto kMoment = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z";

/// The last line with `part` in it.
std::string last_line(const WatchdogProcess& watchdog, const std::string& part) {
  EXPECT_TRUE(watchdog.wait_for_line(part)) << watchdog.log();
  std::string found;
  for (const std::string& line : watchdog.lines())
    if (line.find(part) != std::string::npos) found = line;
  return found;
}

/// Every line so far, parsed; a line that is no object fails the test.
std::vector<Json> objects(const WatchdogProcess& watchdog) {
  std::vector<Json> all;
  for (const std::string& line : watchdog.lines()) {
    all.push_back(Json::parse(line, nullptr, false));
    EXPECT_TRUE(all.back().is_object()) << line;
  }
  return all;
}

std::vector<std::string> names(const Json& object) {
  std::vector<std::string> list;
  for (const auto& [name, value] : object.items()) list.push_back(name);
  return list;
}

TEST(log_format, json_has_an_object_for_each_line_of_ours_the_functions_and_each_request) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  (void)post(watchdog, "/log?a=b", "said", {{"X-Call-Id", "call-7"}});
  const Json request = Json::parse(last_line(watchdog, "\"msg\":\"request\""), nullptr, false);
  ASSERT_TRUE(request.is_object()) << watchdog.log();
  EXPECT_THAT(names(request), testing::UnorderedElementsAre("time", "level", "msg", "method", "path", "status", "bytes",
                                                            "duration_s", "call_id", "remote"));
  EXPECT_EQ(request["level"], "info");
  EXPECT_EQ(request["method"], "POST");
  EXPECT_EQ(request["path"], "/log?a=b");
  EXPECT_EQ(request["status"], 200);
  EXPECT_EQ(request["bytes"], 4);
  EXPECT_GE(request["duration_s"].get<double>(), 0);
  EXPECT_EQ(request["call_id"], "call-7");
  EXPECT_EQ(request["remote"], "127.0.0.1");
  EXPECT_TRUE(std::regex_match(request["time"].get<std::string>(), std::regex(kMoment))) << request;

  const Json of_function = Json::parse(last_line(watchdog, "log said"), nullptr, false);
  EXPECT_EQ(of_function["stream"], "stderr");
  EXPECT_EQ(of_function["msg"], "log said");
  EXPECT_EQ(of_function["call_id"], "call-7");
  const Json ours = Json::parse(last_line(watchdog, "Listening on port"), nullptr, false);
  EXPECT_THAT(names(ours), testing::UnorderedElementsAre("time", "level", "msg"));
  EXPECT_GE(objects(watchdog).size(), 6U);
}

TEST(log_format, an_error_has_its_reason_and_its_level) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  (void)post(watchdog, "/exit-before-answer");
  const Json line = Json::parse(last_line(watchdog, "\"msg\":\"request\""), nullptr, false);
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["status"], 502);
  EXPECT_THAT(line["error"].get<std::string>(), testing::HasSubstr("ended before its answer"));
  EXPECT_FALSE(line.contains("call_id")) << "there was none";
}

TEST(log_format, nobody_can_forge_an_object_or_a_value) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  const std::string evil = "\",\"status\":1,\t\"x\":\"\\\xff\xc3\xa9";
  (void)post(watchdog, "/log/\"}{\"\x80", "said\x1b[31m\"}\r{\"\xff", {{"X-Call-Id", evil}});
  EXPECT_TRUE(watchdog.wait_for_line("\"msg\":\"request\"")) << watchdog.log();
  (void)post(watchdog, "/" + std::string(3000, 't'));
  ASSERT_TRUE(watchdog.wait_for_line("tttt"));
  for (const Json& object : objects(watchdog)) {
    if (object.value("msg", "") != "request") continue;
    EXPECT_NE(object["status"], 1) << object;
    EXPECT_LE(object["path"].get<std::string>().size(), 1024U);
    if (!object.contains("call_id")) continue;
    EXPECT_EQ(object["call_id"], "\",\"status\":1,\t\"x\":\"\\\xef\xbf\xbd\xc3\xa9") << object;
  }
}

TEST(log_format, lines_of_the_function_stay_one_object_each_however_they_are_written) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  (void)post(watchdog, "/log", "one\ntwo \"quoted\"\n\x80" + std::string(1, '\0') + "end");
  ASSERT_TRUE(watchdog.wait_for_line("end")) << watchdog.log();
  std::vector<std::string> said;
  for (const Json& object : objects(watchdog))
    if (object.contains("stream")) said.push_back(object["msg"]);
  EXPECT_THAT(said, testing::ElementsAre("log one", "two \"quoted\"", "\xef\xbf\xbd" + std::string(1, '\0') + "end"));
}

TEST(log_format, lines_without_prefix_are_the_functions_own) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}, {"prefix_logs", "false"}}));
  (void)post(watchdog, "/log", "said");
  EXPECT_EQ(last_line(watchdog, "log said"), "log said");
}

TEST(log_format, logfmt_has_the_same_values) {
  WatchdogProcess watchdog(misbehave({{"log_format", "logfmt"}}));
  (void)post(watchdog, "/log?a=b", "two words", {{"X-Call-Id", "a b"}});
  const std::string request = last_line(watchdog, "msg=request");
  EXPECT_TRUE(
      std::regex_match(request, std::regex("time=" + std::string(kMoment) +
                                           " level=info msg=request method=POST path=\"/log\\?a=b\" status=200 bytes=9 "
                                           "duration_s=[0-9]+\\.[0-9]{6} call_id=\"a b\" remote=127\\.0\\.0\\.1")))
      << request;
  const std::string of_function = last_line(watchdog, "two words");
  EXPECT_TRUE(std::regex_match(of_function,
                               std::regex("time=" + std::string(kMoment) + " stream=stderr msg=\"log two words\".*")))
      << of_function;
}

TEST(access_log_option, errors_are_those_from_400_on) {
  WatchdogProcess watchdog(misbehave({{"access_log", "errors"}}));
  (void)post(watchdog, "/fine");
  (void)post(watchdog, "/status-500");
  (void)post(watchdog, "/exit-before-answer");
  ASSERT_TRUE(watchdog.wait_for_line("POST /exit-before-answer - 502")) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("POST /status-500 - 500"), 1U);
  EXPECT_EQ(watchdog.count_lines("/fine"), 0U) << watchdog.log();
}

TEST(access_log_option, none_is_none) {
  WatchdogProcess watchdog(misbehave({{"access_log", "none"}}));
  (void)post(watchdog, "/fine");
  (void)post(watchdog, "/exit-before-answer");
  (void)post(watchdog, "/log", "the last");
  ASSERT_TRUE(watchdog.wait_for_line("log the last"));
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(15'000)), 0);
  ASSERT_TRUE(watchdog.wait_for_line("Exiting."));
  EXPECT_EQ(watchdog.count_lines("POST /"), 0U) << watchdog.log();
}

TEST(access_log_option, probes_are_left_out_in_every_format) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  (void)request(watchdog.port(), "GET", "/probed", "", {{"User-Agent", "kube-probe/1.29"}});
  (void)request(watchdog.port(), "GET", "/seen");
  ASSERT_TRUE(watchdog.wait_for_line("/seen"));
  EXPECT_EQ(watchdog.count_lines("/probed"), 0U) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
