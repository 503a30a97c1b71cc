#include "watchdog/server/function_metrics.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>

#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

class FunctionMetrics : public testing::Test {
 protected:
  std::string text_of(const FunctionStats& stats) {
    std::string text;
    append_function_metrics(stats, log_, text);
    return text;
  }

  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
};

TEST_F(FunctionMetrics, every_figure_has_its_own_sample) {
  FunctionStats stats;
  stats.queued = 1;
  stats.busy = 2;
  stats.idle = 3;
  stats.starting = 4;
  stats.down = 5;
  stats.tunnels = 6;
  stats.started = 7;
  stats.start_failures = 8;
  stats.tunnels_opened = 9;
  stats.losses = {.died = 11,
                  .overdue = 12,
                  .broke_protocol = 13,
                  .stray_output = 14,
                  .client_gone = 15,
                  .max_requests = 16,
                  .max_lifetime = 17,
                  .max_rss = 18};
  const std::string text = text_of(stats);
  for (const char* sample :
       {"fwatchdog_queue_length 1", "fwatchdog_workers{state=\"busy\"} 2", "fwatchdog_workers{state=\"idle\"} 3",
        "fwatchdog_workers{state=\"starting\"} 4", "fwatchdog_workers{state=\"down\"} 5", "fwatchdog_tunnels 6",
        "fwatchdog_process_starts_total 7", "fwatchdog_process_start_failures_total 8",
        "fwatchdog_tunnels_opened_total 9", "fwatchdog_process_losses_total{cause=\"died\"} 11",
        "fwatchdog_process_losses_total{cause=\"exec_timeout\"} 12",
        "fwatchdog_process_losses_total{cause=\"protocol\"} 13",
        "fwatchdog_process_losses_total{cause=\"stray_output\"} 14",
        "fwatchdog_process_losses_total{cause=\"client_gone\"} 15",
        "fwatchdog_process_losses_total{cause=\"max_requests\"} 16",
        "fwatchdog_process_losses_total{cause=\"max_lifetime\"} 17",
        "fwatchdog_process_losses_total{cause=\"max_rss\"} 18", "fwatchdog_log_lines_dropped_total 0"})
    EXPECT_NE(("\n" + text).find("\n" + std::string(sample) + "\n"), std::string::npos) << sample << " in\n" << text;
}

TEST_F(FunctionMetrics, waits_and_starts_are_histograms) {
  FunctionStats stats;
  stats.wait.add(milliseconds(20));
  stats.spawn.add(milliseconds(2));
  stats.spawn.add(milliseconds(2));
  const std::string text = text_of(stats);
  for (const char* line :
       {"# TYPE fwatchdog_queue_wait_seconds histogram", "fwatchdog_queue_wait_seconds_bucket{le=\"0.01\"} 0",
        "fwatchdog_queue_wait_seconds_bucket{le=\"0.025\"} 1", "fwatchdog_queue_wait_seconds_count 1",
        "# TYPE fwatchdog_process_start_seconds histogram", "fwatchdog_process_start_seconds_bucket{le=\"0.005\"} 2",
        "fwatchdog_process_start_seconds_sum 0.004", "fwatchdog_process_start_seconds_count 2"})
    EXPECT_NE(("\n" + text).find("\n" + std::string(line) + "\n"), std::string::npos) << line << " in\n" << text;
}

TEST(instance_metrics, name_the_build_and_count_connections) {
  std::string text;
  append_instance_metrics({.version = "1.2.3", .commit = "abc", .connections = 4}, text);
  EXPECT_EQ(text,
            "# HELP fwatchdog_build_info Which watchdog this is.\n"
            "# TYPE fwatchdog_build_info gauge\n"
            "fwatchdog_build_info{version=\"1.2.3\",commit=\"abc\"} 1\n"
            "# HELP fwatchdog_connections Connections of clients.\n"
            "# TYPE fwatchdog_connections gauge\n"
            "fwatchdog_connections 4\n");
}

}  // namespace
}  // namespace fwd
