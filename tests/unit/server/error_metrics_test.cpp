#include "watchdog/server/error_metrics.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

std::string text_of(const ErrorMetrics& metrics) {
  std::string text;
  metrics.append_to(text);
  return text;
}

constexpr auto kNothing =
    "# HELP fwatchdog_rejections_total Requests that were turned away.\n"
    "# TYPE fwatchdog_rejections_total counter\n"
    "fwatchdog_rejections_total{reason=\"over_limit\"} 0\n"
    "fwatchdog_rejections_total{reason=\"queue_full\"} 0\n"
    "fwatchdog_rejections_total{reason=\"queue_timeout\"} 0\n"
    "fwatchdog_rejections_total{reason=\"no_worker\"} 0\n"
    "fwatchdog_rejections_total{reason=\"draining\"} 0\n"
    "fwatchdog_rejections_total{reason=\"malformed\"} 0\n"
    "# HELP fwatchdog_timeouts_total Requests that took too long.\n"
    "# TYPE fwatchdog_timeouts_total counter\n"
    "fwatchdog_timeouts_total{phase=\"exec\"} 0\n"
    "fwatchdog_timeouts_total{phase=\"deadline\"} 0\n"
    "fwatchdog_timeouts_total{phase=\"read\"} 0\n"
    "fwatchdog_timeouts_total{phase=\"write\"} 0\n";

TEST(error_metrics, every_series_is_there_from_the_start) {
  EXPECT_EQ(text_of({}), kNothing);
}

TEST(error_metrics, each_error_counts_once_under_its_own_name) {
  struct Row {
    Errc code;
    const char* sample;
  };
  constexpr Row kRows[] = {
      {Errc::over_limit, "rejections_total{reason=\"over_limit\"}"},
      {Errc::queue_full, "rejections_total{reason=\"queue_full\"}"},
      {Errc::queue_timeout, "rejections_total{reason=\"queue_timeout\"}"},
      {Errc::no_worker, "rejections_total{reason=\"no_worker\"}"},
      {Errc::spawn_lacks_resources, "rejections_total{reason=\"no_worker\"}"},
      {Errc::draining, "rejections_total{reason=\"draining\"}"},
      {Errc::malformed_request, "rejections_total{reason=\"malformed\"}"},
      {Errc::unsupported_coding, "rejections_total{reason=\"malformed\"}"},
      {Errc::head_too_large, "rejections_total{reason=\"malformed\"}"},
      {Errc::body_too_large, "rejections_total{reason=\"malformed\"}"},
      {Errc::body_unreadable, "rejections_total{reason=\"malformed\"}"},
      {Errc::environment_too_large, "rejections_total{reason=\"malformed\"}"},
      {Errc::exec_timeout, "timeouts_total{phase=\"exec\"}"},
      {Errc::deadline_passed, "timeouts_total{phase=\"deadline\"}"},
      {Errc::request_timeout, "timeouts_total{phase=\"read\"}"},
      {Errc::write_timeout, "timeouts_total{phase=\"write\"}"},
  };
  for (const Row& row : kRows) {
    ErrorMetrics metrics;
    metrics.count(row.code);
    metrics.count(row.code);
    std::string expected = kNothing;
    const std::string sample = "fwatchdog_" + std::string(row.sample) + " ";
    const std::size_t at = expected.find("\n" + sample);
    ASSERT_NE(at, std::string::npos) << sample;
    expected[at + 1 + sample.size()] = '2';
    EXPECT_EQ(text_of(metrics), expected) << sample;
  }
}

TEST(error_metrics, what_is_neither_turned_away_nor_late_is_not_counted) {
  ErrorMetrics metrics;
  for (const Error& error : {Error{}, Error(Errc::client_gone), Error(Errc::worker_died), Error(Errc::worker_protocol),
                             Error(Errc::internal_error), Error(Errc::spawn_failed), system_error(4)})
    metrics.count(error);
  EXPECT_EQ(text_of(metrics), kNothing);
}

}  // namespace
}  // namespace fwd
