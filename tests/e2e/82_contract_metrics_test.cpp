// What the metrics page tells beyond the old watchdogs', and where it is.

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

std::uint16_t free_port() {
  const WatchdogProcess other(misbehave());
  return other.port();  // free again once it has gone
}

/// A watchdog whose metrics have a port of their own.
class ContractMetrics : public testing::Test {
 protected:
  void begin(Variables variables) {
    variables["metrics_port"] = std::to_string(port_);
    watchdog_.emplace(misbehave(std::move(variables)));
  }
  std::string page(const std::string& path = "/metrics") { return request(port_, "GET", path).body; }

  /// The value of a sample; -1 if there is none.
  double value(const std::string& sample) {
    const std::string text = "\n" + page();
    const std::size_t at = text.find("\n" + sample + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + sample.size() + 2));
  }

  const std::uint16_t port_ = free_port();
  std::optional<WatchdogProcess> watchdog_;
};

TEST_F(ContractMetrics, who_was_turned_away_is_counted_by_reason) {
  begin({{"max_inflight", "1"}});
  const Gate gate(*watchdog_);
  HttpClient held(watchdog_->port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog_->wait_for_line("begun /wait"));
  EXPECT_EQ(post(*watchdog_, "/echo").status, 429);
  gate.open();
  EXPECT_TRUE(held.find_answer()) << held.last_error();
  HttpClient garbage(watchdog_->port());
  ASSERT_TRUE(garbage.send("POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"));
  EXPECT_TRUE(garbage.find_answer()) << garbage.last_error();
  EXPECT_EQ(value("fwatchdog_rejections_total{reason=\"over_limit\"}"), 1);
  EXPECT_EQ(value("fwatchdog_rejections_total{reason=\"malformed\"}"), 1);
  EXPECT_EQ(value("fwatchdog_rejections_total{reason=\"queue_full\"}"), 0);
}

TEST_F(ContractMetrics, queue_and_its_bounds_are_counted) {
  begin({{"max_queue", "0"}});
  const Gate gate(*watchdog_);
  HttpClient held(watchdog_->port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog_->wait_for_line("begun /wait"));
  const HttpAnswer full = post(*watchdog_, "/echo");
  EXPECT_EQ(full.status, 429);
  EXPECT_TRUE(full.header("Retry-After"));
  gate.open();
  EXPECT_TRUE(held.find_answer()) << held.last_error();
  EXPECT_EQ(value("fwatchdog_rejections_total{reason=\"queue_full\"}"), 1);
  EXPECT_EQ(value("fwatchdog_queue_wait_seconds_count"), 1) << page();
  EXPECT_EQ(value("fwatchdog_process_start_seconds_count"), 1) << page();
  EXPECT_EQ(value("fwatchdog_process_start_failures_total"), 0);
}

TEST_F(ContractMetrics, timeouts_are_counted_by_phase) {
  begin({{"exec_timeout", "10s"}, {"read_timeout", "300ms"}});
  EXPECT_EQ(post(*watchdog_, "/never", "x", {{"X-Timeout", "200ms"}}).status, 504);
  EXPECT_EQ(value("fwatchdog_timeouts_total{phase=\"deadline\"}"), 1);
  HttpClient slow(watchdog_->port());
  ASSERT_TRUE(slow.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Le"));
  const auto answer = slow.find_answer();
  ASSERT_TRUE(answer) << slow.last_error();
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(value("fwatchdog_timeouts_total{phase=\"read\"}"), 1);
}

TEST_F(ContractMetrics, exec_timeout_is_a_phase_of_its_own) {
  begin({{"exec_timeout", "300ms"}});
  EXPECT_EQ(post(*watchdog_, "/never", "x").status, 504);
  EXPECT_EQ(value("fwatchdog_timeouts_total{phase=\"exec\"}"), 1);
  EXPECT_EQ(value("fwatchdog_timeouts_total{phase=\"deadline\"}"), 0);
}

TEST_F(ContractMetrics, an_exec_timeout_that_classic_answers_by_itself_counts_too) {
  watchdog_.emplace(WatchdogOptions{
      .function = {"sleep", "60"},
      .environment = {{"mode", "classic"}, {"exec_timeout", "300ms"}, {"metrics_port", std::to_string(port_)}}});
  const HttpAnswer answer = post(*watchdog_, "/killed", "x");
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, "Killed process.\n");
  EXPECT_EQ(value("fwatchdog_timeouts_total{phase=\"exec\"}"), 1);
  EXPECT_TRUE(watchdog_->wait_for_line("Killing process: sleep 60")) << watchdog_->log();
  (void)post(*watchdog_, "/killed-too", "x");
  EXPECT_TRUE(wait_until([this] { return watchdog_->count_lines("Killing process: sleep 60") == 2; }));
  EXPECT_EQ(watchdog_->count_lines("POST /killed"), 0U) << watchdog_->log();
}

TEST_F(ContractMetrics, connections_and_the_build_are_told) {
  begin({});
  HttpClient one(watchdog_->port()), two(watchdog_->port());
  ASSERT_TRUE(one.ask("POST", "/", "x"));
  ASSERT_TRUE(two.ask("POST", "/", "x"));
  EXPECT_TRUE(wait_until([this] { return value("fwatchdog_connections") == 2; })) << page();
  EXPECT_NE(page().find("\nfwatchdog_build_info{version=\""), std::string::npos) << page();
}

TEST_F(ContractMetrics, the_path_can_be_chosen_and_head_is_answered) {
  begin({{"metrics_path", "/prom"}});
  EXPECT_EQ(request(port_, "GET", "/metrics").status, 404);
  const HttpAnswer answer = request(port_, "GET", "/prom");
  EXPECT_EQ(answer.status, 200);
  HttpClient client(port_);
  ASSERT_TRUE(client.send(render_request("HEAD", "/prom")));
  const auto head = client.find_answer(true);
  ASSERT_TRUE(head) << client.last_error();
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  EXPECT_EQ(head->body, "");
  const auto next = client.ask("GET", "/prom");
  ASSERT_TRUE(next) << "nothing of a body was sent behind the head: " << client.last_error();
  EXPECT_EQ(next->status, 200);
}

TEST_F(ContractMetrics, promtool_accepts_a_page_on_which_everything_has_happened) {
  if (std::system("command -v promtool > /dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
  begin({{"exec_timeout", "300ms"}});
  (void)post(*watchdog_, "/echo");
  (void)post(*watchdog_, "/never");
  (void)request(watchdog_->port(), "BREW", "/exit-before-answer");
  const std::string file = (watchdog_->folder() / "page").string();
  std::ofstream(file) << page();
  const int status = std::system(("promtool check metrics < " + file + " > " + file + ".out 2>&1").c_str());
  std::ifstream said(file + ".out");
  const std::string text((std::istreambuf_iterator<char>(said)), std::istreambuf_iterator<char>());
  EXPECT_EQ(WEXITSTATUS(status), 0) << text;
}

}  // namespace
}  // namespace fwd::test
