#include "watchdog/server/metrics.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

/// The families of the contract.
std::string text_of(const RequestMetrics& metrics) {
  std::string text = "kept\n";
  metrics.append_to(text);
  EXPECT_TRUE(text.starts_with("kept\n"));
  const std::size_t ours = text.find("# HELP fwatchdog_");
  EXPECT_NE(ours, std::string::npos);
  return text.substr(5, ours - 5);
}

TEST(metrics, before_the_first_request_there_is_only_the_gauge) {
  EXPECT_EQ(text_of(RequestMetrics()),
            "# HELP http_requests_in_flight total HTTP requests in-flight\n"
            "# TYPE http_requests_in_flight gauge\n"
            "http_requests_in_flight 0\n");
}

TEST(metrics, the_page_is_the_one_of_the_contract_byte_for_byte) {
  RequestMetrics metrics;
  for (int i = 0; i < 4; ++i) metrics.begin();
  metrics.end("POST", 200, milliseconds(5));  // on a bound: inside it
  metrics.end("POST", 200, milliseconds(750));
  metrics.end("GET", 503, seconds(20));
  EXPECT_EQ(text_of(metrics),
            "# HELP http_requests_in_flight total HTTP requests in-flight\n"
            "# TYPE http_requests_in_flight gauge\n"
            "http_requests_in_flight 1\n"
            "# HELP http_request_duration_seconds Seconds spent serving HTTP requests.\n"
            "# TYPE http_request_duration_seconds histogram\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.005\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.01\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.025\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.05\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.1\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.25\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"0.5\"} 1\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"1\"} 2\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"2.5\"} 2\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"5\"} 2\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"10\"} 2\n"
            "http_request_duration_seconds_bucket{code=\"200\",method=\"post\",le=\"+Inf\"} 2\n"
            "http_request_duration_seconds_sum{code=\"200\",method=\"post\"} 0.755\n"
            "http_request_duration_seconds_count{code=\"200\",method=\"post\"} 2\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.005\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.01\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.025\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.05\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.1\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.25\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"0.5\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"1\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"2.5\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"5\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"10\"} 0\n"
            "http_request_duration_seconds_bucket{code=\"503\",method=\"get\",le=\"+Inf\"} 1\n"
            "http_request_duration_seconds_sum{code=\"503\",method=\"get\"} 20\n"
            "http_request_duration_seconds_count{code=\"503\",method=\"get\"} 1\n"
            "# HELP http_requests_total total HTTP requests processed\n"
            "# TYPE http_requests_total counter\n"
            "http_requests_total{code=\"200\",method=\"post\"} 2\n"
            "http_requests_total{code=\"503\",method=\"get\"} 1\n");
}

TEST(metrics, methods_are_lower_case_and_strange_ones_share_a_label) {
  struct Row {
    const char* method;
    const char* label;
  };
  constexpr Row kRows[] = {{"GET", "get"},       {"put", "put"},         {"HEAD", "head"},       {"Post", "post"},
                           {"DELETE", "delete"}, {"CONNECT", "connect"}, {"OPTIONS", "options"}, {"NOTIFY", "notify"},
                           {"TRACE", "trace"},   {"PATCH", "patch"},     {"BREW", "unknown"},    {"", "unknown"},
                           {"a\"b\n", "unknown"}};
  for (const Row& row : kRows) {
    RequestMetrics metrics;
    metrics.begin();
    metrics.end(row.method, 200, seconds(0));
    const std::string expected = "http_requests_total{code=\"200\",method=\"" + std::string(row.label) + "\"} 1\n";
    EXPECT_NE(text_of(metrics).find(expected), std::string::npos) << row.method;
  }
}

TEST(metrics, a_request_that_was_never_answered_is_no_success) {
  RequestMetrics metrics;
  metrics.begin();
  metrics.end("GET", 0, seconds(0));
  EXPECT_NE(text_of(metrics).find("http_requests_total{code=\"0\",method=\"get\"} 1\n"), std::string::npos);
}

TEST(metrics, a_histogram_without_labels_has_none_but_le) {
  SecondsHistogram histogram;
  histogram.add(milliseconds(2));
  histogram.add(seconds(3));
  std::string text;
  append_histogram(text, "wait", {}, histogram);
  EXPECT_TRUE(text.starts_with("wait_bucket{le=\"0.005\"} 1\nwait_bucket{le=\"0.01\"} 1\n")) << text;
  EXPECT_TRUE(text.ends_with("wait_bucket{le=\"2.5\"} 1\nwait_bucket{le=\"5\"} 2\nwait_bucket{le=\"10\"} 2\n"
                             "wait_bucket{le=\"+Inf\"} 2\nwait_sum 3.002\nwait_count 2\n"))
      << text;
}

TEST(metrics, numbers_are_exact_far_beyond_what_a_float_holds) {
  std::string text;
  append_sample(text, "a", 9'007'199'254'740'991.0);
  append_sample(text, "b", 0.1);
  append_sample(text, "c", 1'764'538'286.25);
  EXPECT_EQ(text, "a 9007199254740991\nb 0.1\nc 1764538286.25\n");
}

}  // namespace
}  // namespace fwd
