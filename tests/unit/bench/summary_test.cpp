#include "bench/summary.hpp"

#include <gtest/gtest.h>

namespace fwd::bench {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

/// Ten answers of 1 to 10 ms, the first five on new connections; two failures; one request cut off.
Tally make_tally() {
  Tally tally;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    Sample sample;
    sample.started = sample.connect_started = Clock::time_point(seconds(1));
    sample.connected = sample.started + nanoseconds(kMs / 2);
    sample.sent = sample.connected;
    sample.reused = i > 5;
    sample.done = sample.first_byte = sample.started + nanoseconds(i * kMs);
    sample.status = i == 1 ? 404 : 200;
    sample.body_bytes = 46;
    tally.answered(sample, false);
  }
  tally.failed(Failure::timeout, 100 * kMs);
  tally.failed(Failure::refused, kMs);
  tally.started = 13;
  tally.interrupted = 1;
  tally.bytes_received = 2048;
  tally.bytes_sent = 1024;
  tally.body_bytes = 460;
  return tally;
}

Summary make_summary() {
  return summarize(make_tally(), Ending::time_limit, seconds(2), 4, {.user_seconds = 0.5, .system_seconds = 0.1});
}

TEST(Summary, requests_are_accounted_for_and_sorted_by_column) {
  const Summary summary = make_summary();
  EXPECT_EQ(summary.completed, 12u);
  EXPECT_EQ(summary.ok, 10u);
  EXPECT_EQ(summary.failed, 2u);
  EXPECT_EQ(summary.failed_by_column, (std::array<std::uint64_t, 4>{1, 1, 0, 0}));
  EXPECT_EQ(summary.non_2xx, 1u);
  EXPECT_EQ(summary.statuses, (std::vector<std::pair<int, std::uint64_t>>{{200, 9}, {404, 1}}));
  EXPECT_TRUE(summary.accounting_holds());
}

TEST(Summary, accounting_that_does_not_add_up_is_seen) {
  Tally tally = make_tally();
  tally.interrupted = 0;
  EXPECT_FALSE(summarize(tally, Ending::all_done, seconds(1), 1, {}).accounting_holds());
  tally = make_tally();
  ++tally.ok;
  EXPECT_FALSE(summarize(tally, Ending::all_done, seconds(1), 1, {}).accounting_holds());
}

TEST(Summary, rates_follow_the_formulas_of_ab) {
  const Summary summary = make_summary();
  EXPECT_DOUBLE_EQ(summary.requests_per_second, 12 / 2.0);
  EXPECT_DOUBLE_EQ(summary.ok_per_second, 10 / 2.0);
  EXPECT_DOUBLE_EQ(summary.ms_per_request, 4 * 2.0 * 1000 / 12);
  EXPECT_DOUBLE_EQ(summary.ms_per_request_all, 2.0 * 1000 / 12);
  EXPECT_DOUBLE_EQ(summary.kib_received_per_second, 1);
  EXPECT_DOUBLE_EQ(summary.kib_sent_per_second, 0.5);
  EXPECT_DOUBLE_EQ(summary.generator_cpu_share, 0.3);
  EXPECT_DOUBLE_EQ(summary.generator_us_per_request, 50'000);
}

TEST(Summary, times_are_of_whole_answers_and_the_median_is_the_nearest_rank) {
  const Summary summary = make_summary();
  EXPECT_EQ(summary.answers(), 10u);
  EXPECT_DOUBLE_EQ(summary.total.min, kMs);
  EXPECT_DOUBLE_EQ(summary.total.mean, 5.5 * kMs);
  EXPECT_NEAR(summary.total.median, 5.0 * kMs, 0.001 * 5 * kMs);
  EXPECT_NEAR(summary.total.deviation, 3.02765 * kMs, 10);
  EXPECT_DOUBLE_EQ(summary.total.max, 10.0 * kMs);
  EXPECT_NEAR(static_cast<double>(summary.ab_percentiles[4]), 9.0 * kMs, 0.001 * 9 * kMs);  // 90 %
  EXPECT_EQ(summary.ab_percentiles[7], 10 * kMs);                                           // 99 %
}

TEST(Summary, the_connect_row_has_zeros_for_reused_connections_and_the_quantiles_have_not) {
  const Summary summary = make_summary();
  EXPECT_DOUBLE_EQ(summary.connect.min, 0);
  EXPECT_DOUBLE_EQ(summary.connect.mean, 0.25 * kMs);
  EXPECT_EQ(summary.connect_quantiles.count, 5u);
  EXPECT_NEAR(static_cast<double>(summary.connect_quantiles.values[0]), 0.5 * kMs, 0.001 * kMs);
}

TEST(Summary, failures_stay_in_one_distribution_as_at_least_their_age) {
  const Summary summary = make_summary();
  EXPECT_EQ(summary.with_failures.count, 12u);
  EXPECT_EQ(summary.with_failures.max, 100 * kMs);
  EXPECT_EQ(summary.total_quantiles.max, 10 * kMs);
}

TEST(Summary, nothing_at_all_divides_by_nothing) {
  const Summary summary = summarize(Tally(), Ending::interrupted, nanoseconds(0), 1, {});
  EXPECT_EQ(summary.requests_per_second, 0);
  EXPECT_EQ(summary.ms_per_request, 0);
  EXPECT_EQ(summary.total.mean, 0);
  EXPECT_TRUE(summary.accounting_holds());
}

}  // namespace
}  // namespace fwd::bench
