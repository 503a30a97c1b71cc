// Each mode's line for a request is that of its old watchdog, byte for byte.

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

WatchdogOptions shell(const std::string& mode, const std::string& script, Variables variables = {}) {
  variables["mode"] = mode;
  return {.function = {"sh", "-c", script}, .environment = std::move(variables)};
}

/// The lines with `part`, without the time at their front.
std::vector<std::string> lines_with(const WatchdogProcess& watchdog, const std::string& part) {
  static const std::regex time("^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ");
  std::vector<std::string> found;
  for (const std::string& line : watchdog.lines())
    if (line.find(part) != std::string::npos) found.push_back(std::regex_replace(line, time, ""));
  return found;
}

void expect_line(const WatchdogProcess& watchdog, const std::string& part, const std::string& pattern) {
  ASSERT_TRUE(watchdog.wait_for_line(part)) << watchdog.log();
  const auto lines = lines_with(watchdog, part);
  ASSERT_EQ(lines.size(), 1U) << watchdog.log();
  EXPECT_TRUE(std::regex_match(lines[0], std::regex(pattern))) << lines[0] << "\nis no " << pattern;
}

constexpr auto kTime = R"( \([0-9]+\.[0-9]{4}s\))";

TEST(access_log_style, streaming_has_no_reason_phrase) {
  WatchdogProcess watchdog(shell("streaming", "cat; head -c 613 /dev/zero"));
  (void)post(watchdog, "/a?x", "hello");
  expect_line(watchdog, "/a?x", R"(POST /a\?x - 200 - ContentLength: 618B)" + std::string(kTime));
}

TEST(access_log_style, serializing_tells_the_status_that_was_sent) {
  WatchdogProcess watchdog(shell("serializing", "read -r word; exit $word"));
  (void)post(watchdog, "/good", "0\n");
  expect_line(watchdog, "/good", "POST /good - 200 - ContentLength: 0B" + std::string(kTime));
  EXPECT_EQ(post(watchdog, "/bad", "3\n").status, 500);
  expect_line(watchdog, "/bad", "POST /bad - 500 - ContentLength: 13B" + std::string(kTime));
}

TEST(access_log_style, classic_writes_its_own_lines_and_no_other) {
  WatchdogProcess watchdog(shell("classic", "cat"));
  (void)post(watchdog, "/a?x", "hello");
  expect_line(watchdog, "Wrote", R"(Wrote 5 Bytes - Duration: [0-9]+\.[0-9]{6}s)");
  EXPECT_EQ(watchdog.count_lines("Forking fprocess."), 1U);
  (void)post(watchdog, "/b", "hello");
  ASSERT_TRUE(wait_until([&] { return watchdog.count_lines("Wrote 5 Bytes") == 2; }));
  EXPECT_EQ(watchdog.count_lines("/a?x"), 0U) << watchdog.log();
}

TEST(access_log_style, static_has_no_lines) {
  WatchdogProcess folder_of_files(misbehave());
  std::ofstream(folder_of_files.folder() / "file.txt") << "hello";
  WatchdogProcess watchdog({.environment = {{"mode", "static"}, {"static_path", folder_of_files.folder().string()}}});
  EXPECT_EQ(request(watchdog.port(), "GET", "/file.txt").body, "hello");
  EXPECT_EQ(request(watchdog.port(), "GET", "/none.txt").status, 404);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(15'000)), 0);
  ASSERT_TRUE(watchdog.wait_for_line("Exiting."));
  EXPECT_EQ(watchdog.count_lines(".txt"), 0U) << watchdog.log();
}

/// Without a line of the mode's own there would be no word of them.
TEST(access_log_style, requests_that_were_turned_away_have_a_line_in_every_mode) {
  WatchdogProcess watchdog(
      shell("classic", "echo begun >&2; cat", {{"max_inflight", "1"}, {"combine_output", "false"}}));
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send("POST /held HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhal"));
  ASSERT_TRUE(wait_until([&] { return request(watchdog.port(), "GET", "/_/ready").status == 429; }));
  EXPECT_EQ(post(watchdog, "/turned-away").status, 429);
  expect_line(watchdog, "/turned-away",
              "POST /turned-away - 429 - ContentLength: [0-9]+B" + std::string(kTime) + ": .+");
}

TEST(access_log_style, other_formats_have_a_line_for_every_request_of_every_mode) {
  for (const std::string mode : {"streaming", "serializing", "classic"}) {
    WatchdogProcess watchdog(shell(mode, "cat; echo said >&2", {{"log_format", "json"}, {"combine_output", "false"}}));
    (void)post(watchdog, "/a?x", "hello", {{"X-Call-Id", "call-1"}});
    ASSERT_TRUE(watchdog.wait_for_line("\"msg\":\"request\"")) << mode << watchdog.log();
    for (const std::string& line : watchdog.lines()) {
      const auto object = nlohmann::json::parse(line, nullptr, false);
      ASSERT_TRUE(object.is_object()) << mode << ": " << line;
      if (object["msg"] == "request") {
        EXPECT_EQ(object["path"], "/a?x");
      }
      if (object.contains("stream")) {
        EXPECT_EQ(object["call_id"], "call-1") << mode << ": " << line;
      }
    }
    EXPECT_EQ(watchdog.count_lines("\"stream\":\"stderr\""), 1U) << mode << watchdog.log();
  }
}

}  // namespace
}  // namespace fwd::test
