// What /metrics tells, and whether Prometheus can read it.

#include <array>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <sys/wait.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// A watchdog whose metrics have a port of their own, which its log tells.
class Metrics : public testing::Test {
 protected:
  std::string page() { return request(port(), "GET", "/metrics").body; }

  std::uint16_t port() {
    const std::string part = "Metrics listening on port: ";
    EXPECT_TRUE(watchdog_.wait_for_line(part)) << watchdog_.log();
    for (const std::string& line : watchdog_.lines())
      if (const auto at = line.find(part); at != std::string::npos)
        return static_cast<std::uint16_t>(std::stoul(line.substr(at + part.size())));
    return 0;
  }

  /// The value of a sample; -1 if there is none.
  static double value(const std::string& page, const std::string& sample) {
    const std::size_t at = ("\n" + page).find("\n" + sample + " ");
    return at == std::string::npos ? -1 : std::stod(page.substr(at + sample.size() + 1));
  }

  static std::string free_port() {
    const WatchdogProcess other(misbehave());
    return std::to_string(other.port());  // free again once it has gone
  }

  WatchdogProcess watchdog_{misbehave({{"metrics_port", free_port()}, {"max_inflight", "1"}})};
};

TEST_F(Metrics, counts_are_right_after_requests) {
  const std::string before = page();
  EXPECT_EQ(before.find("http_requests_total"), std::string::npos) << "there was no request yet";
  EXPECT_EQ(value(before, "fwatchdog_workers{state=\"idle\"}"), 1);
  EXPECT_EQ(value(before, "fwatchdog_process_starts_total"), 1);

  for (int i = 0; i < 3; ++i) (void)post(watchdog_, "/echo");
  (void)request(watchdog_.port(), "GET", "/echo");
  (void)request(watchdog_.port(), "BREW", "/echo");
  (void)request(watchdog_.port(), "GET", "/_/health");
  (void)request(watchdog_.port(), "GET", "/_/ready");
  (void)post(watchdog_, "/exit-before-answer");
  const std::string after = page();
  EXPECT_EQ(value(after, "http_requests_total{code=\"200\",method=\"post\"}"), 3) << after;
  EXPECT_EQ(value(after, "http_requests_total{code=\"200\",method=\"get\"}"), 1) << "probes do not count\n" << after;
  EXPECT_EQ(value(after, "http_requests_total{code=\"200\",method=\"unknown\"}"), 1) << after;
  EXPECT_EQ(value(after, "http_requests_total{code=\"502\",method=\"post\"}"), 1) << after;
  EXPECT_EQ(value(after, "http_request_duration_seconds_count{code=\"200\",method=\"post\"}"), 3) << after;
  EXPECT_EQ(value(after, "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"+Inf\"}"), 3) << after;
  EXPECT_EQ(value(after, "http_requests_in_flight"), 0) << after;
  EXPECT_EQ(value(after, "fwatchdog_process_losses_total{cause=\"died\"}"), 1) << after;
}

TEST_F(Metrics, what_is_in_flight_and_what_was_turned_away_is_counted) {
  const Gate gate(watchdog_);
  HttpClient held(watchdog_.port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog_.wait_for_line("begun /wait"));
  EXPECT_EQ(post(watchdog_, "/echo").status, 429);
  const std::string during = page();
  EXPECT_EQ(value(during, "http_requests_in_flight"), 1) << during;
  EXPECT_EQ(value(during, "fwatchdog_workers{state=\"busy\"}"), 1) << during;
  EXPECT_EQ(value(during, "http_requests_total{code=\"429\",method=\"post\"}"), 1) << during;
  gate.open();
  EXPECT_TRUE(held.find_answer()) << held.last_error();
  EXPECT_EQ(value(page(), "http_requests_total{code=\"200\",method=\"post\"}"), 1);
}

TEST_F(Metrics, the_page_has_the_type_of_the_contract_and_is_the_only_one) {
  const HttpAnswer answer = request(port(), "GET", "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  EXPECT_EQ(request(port(), "GET", "/").status, 404);
  EXPECT_EQ(request(port(), "POST", "/metrics", "x").status, 404);
  EXPECT_EQ(post(watchdog_, "/metrics").body, "hello") << "on the other port it is a path of the function";
}

TEST_F(Metrics, figures_of_the_process_are_those_of_the_kernel) {
  const std::string text = page();
  EXPECT_GT(value(text, "process_resident_memory_bytes"), 1e6) << text;
  EXPECT_GT(value(text, "process_virtual_memory_bytes"), value(text, "process_resident_memory_bytes")) << text;
  EXPECT_GE(value(text, "process_virtual_memory_max_bytes"), value(text, "process_virtual_memory_bytes")) << text;
  EXPECT_GE(value(text, "process_cpu_seconds_total"), 0) << text;
  EXPECT_GT(value(text, "process_max_fds"), value(text, "process_open_fds")) << text;
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_LT(value(text, "process_start_time_seconds"), now + 60) << text;
  EXPECT_GT(value(text, "process_start_time_seconds"), now - 600) << text;
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(watchdog_.pid()) + "/fd"))
    ++open;
  EXPECT_NEAR(value(text, "process_open_fds"), static_cast<double>(open), 1)
      << "the scraper's connection comes and goes";
}

TEST_F(Metrics, promtool_finds_nothing_wrong) {
  if (std::system("command -v promtool > /dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
  (void)post(watchdog_, "/echo");
  (void)post(watchdog_, "/exit-before-answer");
  const std::string file = (watchdog_.folder() / "page").string();
  std::ofstream(file) << page();
  const std::string output = file + ".out";
  const int status = std::system(("promtool check metrics < " + file + " > " + output + " 2>&1").c_str());
  std::ifstream said(output);
  const std::string text((std::istreambuf_iterator<char>(said)), std::istreambuf_iterator<char>());
  EXPECT_EQ(WEXITSTATUS(status), 0) << text;
}

}  // namespace
}  // namespace fwd::test
