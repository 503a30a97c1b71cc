#include <gtest/gtest.h>

#include "bench/report/ab.hpp"
#include "bench/report/extended.hpp"

namespace fwd::bench {
namespace {

constexpr double kMs = 1e6;

Options seed_options() {
  Options options;
  options.concurrency = 20;
  options.requests = 1000;
  options.request.has_body = true;
  options.url = *parse_url("http://localhost:8081/");
  return options;
}

/// The figures of the seed's first run.
Summary seed_summary() {
  Summary summary;
  summary.seconds = 0.6556;
  summary.document_length = 46;
  summary.started = summary.completed = summary.ok = 1000;
  summary.bytes_received = 163'000;
  summary.bytes_sent = 146'000;
  summary.body_bytes = 46'000;
  summary.statuses = {{200, 1000}};
  summary.requests_per_second = 1525.34;
  summary.ok_per_second = 1525.34;
  summary.ms_per_request = 13.112;
  summary.ms_per_request_all = 0.6556;
  summary.kib_received_per_second = 242.80;
  summary.kib_sent_per_second = 217.48;
  summary.connect = {.min = 0, .mean = 0.9 * kMs, .deviation = 1.04 * kMs, .median = 0.3 * kMs, .max = 24 * kMs};
  summary.processing = {.min = 1 * kMs, .mean = 12 * kMs, .deviation = 4.4 * kMs, .median = 11 * kMs, .max = 37 * kMs};
  summary.waiting = {.min = 1 * kMs, .mean = 12 * kMs, .deviation = 4.3 * kMs, .median = 11 * kMs, .max = 36 * kMs};
  summary.total = {.min = 1 * kMs, .mean = 13 * kMs, .deviation = 4.4 * kMs, .median = 12 * kMs, .max = 38 * kMs};
  summary.ab_percentiles = {12'000'000, 12'400'000, 13'000'000, 13'000'000,
                            14'000'000, 21'000'000, 29'500'000, 35'000'000};
  summary.total_quantiles = {
      .count = 1000, .values = {12'000'000, 14'000'000, 21'000'000, 35'000'000, 38'000'000}, .max = 38'000'000};
  summary.waiting_quantiles = {
      .count = 1000, .values = {11'000'000, 13'000'000, 20'000'000, 34'000'000, 36'000'000}, .max = 36'000'000};
  summary.with_failures = summary.total_quantiles;
  summary.generator = {.user_seconds = 0.012, .system_seconds = 0.034};
  summary.generator_cpu_share = 0.0702;
  summary.generator_us_per_request = 46;
  return summary;
}

TEST(AbReport, prints_the_seed) {
  EXPECT_EQ(ab_report(seed_summary(), seed_options()),
            R"(Server Software:        
Server Hostname:        localhost
Server Port:            8081

Document Path:          /
Document Length:        46 bytes

Concurrency Level:      20
Time taken for tests:   0.656 seconds
Complete requests:      1000
Failed requests:        0
Total transferred:      163000 bytes
Total body sent:        146000
HTML transferred:       46000 bytes
Requests per second:    1525.34 [#/sec] (mean)
Time per request:       13.112 [ms] (mean)
Time per request:       0.656 [ms] (mean, across all concurrent requests)
Transfer rate:          242.80 [Kbytes/sec] received
                        217.48 kb/s sent
                        460.28 kb/s total

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    1   1.0      0      24
Processing:     1   12   4.4     11      37
Waiting:        1   12   4.3     11      36
Total:          1   13   4.4     12      38

Percentage of the requests served within a certain time (ms)
  50%     12
  66%     12
  75%     13
  80%     13
  90%     14
  95%     21
  98%     30
  99%     35
 100%     38 (longest request)
)");
}

TEST(AbReport, failures_statuses_and_keep_alive_have_their_lines) {
  Summary summary = seed_summary();
  Options options = seed_options();
  options.request.has_body = false;
  options.request.keep_alive = true;
  options.any_length = true;
  summary.server = "nginx/1.22.1 (Debian)";
  summary.failed = 10;
  summary.failed_by_column = {1, 2, 3, 4};
  summary.failed_by_kind[static_cast<std::size_t>(Failure::write_error)] = 4;
  summary.non_2xx = 5;
  summary.keep_alive_requests = 6;
  const std::string text = ab_report(summary, options);
  EXPECT_NE(text.find("Server Software:        nginx/1.22.1\n"), std::string::npos);
  EXPECT_NE(text.find("Document Length:        Variable\n"), std::string::npos);
  EXPECT_NE(
      text.find("Failed requests:        10\n   (Connect: 1, Receive: 2, Length: 3, Exceptions: 4)\n"
                "Write errors:           4\nNon-2xx responses:      5\nKeep-Alive requests:    6\nTotal transferred:"),
      std::string::npos);
  EXPECT_EQ(text.find("Total body sent"), std::string::npos);
  EXPECT_EQ(text.find("kb/s"), std::string::npos);
}

TEST(AbReport, warnings_compare_exact_values) {
  Summary summary = seed_summary();
  summary.connect = {.min = 0, .mean = 3 * kMs, .deviation = 1 * kMs, .median = 0.5 * kMs, .max = 9 * kMs};
  summary.waiting = {.min = 0, .mean = 3 * kMs, .deviation = 1 * kMs, .median = 1.5 * kMs, .max = 9 * kMs};
  const std::string text = ab_report(summary, seed_options());
  EXPECT_NE(text.find("Total:          1   13   4.4     12      38\n"
                      "ERROR: The median and mean for the initial connection time are more than twice the standard\n"
                      "       deviation apart. These results are NOT reliable.\n"
                      "WARNING: The median and mean for the waiting time are not within a normal deviation\n"
                      "        These results are probably not that reliable.\n\nPercentage"),
            std::string::npos);
}

TEST(AbReport, tables_can_be_left_out_shortened_or_finer) {
  Options options = seed_options();
  options.without_percentiles = options.without_deviation = true;
  std::string text = ab_report(seed_summary(), options);
  EXPECT_NE(text.find("              min   avg   max\nConnect:        0     1   24\nProcessing:     1    12   37\n"
                      "Waiting:        1    12   36\nTotal:          1    13   38\n"),
            std::string::npos);
  EXPECT_EQ(text.find("Percentage"), std::string::npos);

  options = seed_options();
  options.precision = Precision::microseconds;
  text = ab_report(seed_summary(), options);
  EXPECT_NE(text.find("                  min      mean   [+/-sd]    median       max\n"
                      "Connect:        0.000     0.900     1.040     0.300    24.000\n"),
            std::string::npos);
  EXPECT_NE(text.find("  98%     29.500\n"), std::string::npos);
  EXPECT_NE(text.find(" 100%     38.000 (longest request)\n"), std::string::npos);
}

TEST(AbReport, without_an_answer_it_ends_after_what_is_known) {
  Summary summary;
  const std::string text = ab_report(summary, seed_options());
  EXPECT_TRUE(
      text.ends_with("Complete requests:      0\nFailed requests:        0\nTotal transferred:      0 bytes\n"
                     "Total body sent:        0\nHTML transferred:       0 bytes\n"));
}

TEST(AbReport, a_long_path_is_printed_whole) {
  Options options = seed_options();
  options.url.path = '/' + std::string(3000, 'x');
  EXPECT_NE(ab_report(seed_summary(), options).find(options.url.path + "\nDocument Length"), std::string::npos);
}

TEST(ExtendedReport, prints_what_ab_does_not_tell) {
  EXPECT_EQ(extended_report(seed_summary(), seed_options()), R"(
Extended (closed loop: service time, from the moment a connection was free)
Latency (ms)           p50        p90        p95        p99      p99.9        max
Total:              12.000     14.000     21.000     35.000     38.000     38.000
Wait:               11.000     13.000     20.000     34.000     36.000     36.000
Statuses:       2xx 1000 (200: 1000)
Errors:         none
Ok per second:  1525.34
Ended by:       all requests done
Accounting:     1000 started = 1000 ok + 0 failed + 0 interrupted
Generator CPU:  0.012 s user + 0.034 s system = 7.0 % of one core, 46.00 us per request
)");
}

TEST(ExtendedReport, names_errors_limits_and_interruptions) {
  Summary summary = seed_summary();
  Options options = seed_options();
  options.request.keep_alive = true;
  summary.statuses = {{200, 990}, {404, 1}, {503, 2}, {504, 3}};
  summary.started = 1010;
  summary.completed = 1005;
  summary.ok = 996;
  summary.failed = 9;
  summary.interrupted = 5;
  summary.failed_by_kind[static_cast<std::size_t>(Failure::no_ports)] = 2;
  summary.failed_by_kind[static_cast<std::size_t>(Failure::no_descriptors)] = 3;
  summary.failed_by_kind[static_cast<std::size_t>(Failure::timeout)] = 4;
  summary.with_failures = {.count = 1009, .values = {}, .max = 9'000'000'000};
  summary.ending = Ending::interrupted;
  const std::string text = extended_report(summary, options);
  for (const char* line : {
           "With failures:       0.000      0.000      0.000      0.000      0.000   9000.000\n",
           "Statuses:       2xx 990 (200: 990) 4xx 1 (404: 1) 5xx 5 (503: 2, 504: 3)\n",
           "Errors:         no free port 2, no free descriptor 3, timeout 4\n",
           "Local limit:    this machine ran out of ephemeral ports; ",
           "Local limit:    this process ran out of file descriptors; ",
           "Keep-Alive races: 0 (retried once each)\n",
           "Ended by:       interrupted\n",
           "Accounting:     1010 started = 996 ok + 9 failed + 5 interrupted\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace fwd::bench
