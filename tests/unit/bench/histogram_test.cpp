#include "bench/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace fwd::bench {
namespace {

constexpr double kAllowedError = 0.001;  // bench-features G7
constexpr double kPercents[] = {0, 0.1, 1, 10, 25, 50, 66, 75, 90, 95, 99, 99.9, 99.99, 100};

/// Nearest rank by definition: sort and count.
std::uint64_t exact_percentile(std::vector<std::uint64_t> values, double percent) {
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(i + 1) * 100 >= percent * static_cast<double>(values.size())) return values[i];
  }
  return values.back();
}

Histogram filled(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

void expect_close_to_sorting(const std::vector<std::uint64_t>& values) {
  const Histogram histogram = filled(values);
  for (const double percent : kPercents) {
    const auto exact = static_cast<double>(exact_percentile(values, percent));
    EXPECT_NEAR(static_cast<double>(histogram.percentile(percent)), exact, exact * kAllowedError) << percent << " %";
  }
}

std::vector<std::uint64_t> log_uniform(std::size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(0, std::log10(3.6e12));
  std::vector<std::uint64_t> values(count);
  for (auto& value : values) value = static_cast<std::uint64_t>(std::pow(10, exponent(random)));
  return values;
}

TEST(Histogram, is_within_a_tenth_of_a_percent_of_sorting_from_1_ns_to_1_h) {
  expect_close_to_sorting(log_uniform(20'000));
}

TEST(Histogram, is_close_to_sorting_for_a_normal_and_a_two_humped_load) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> fast(200'000, 20'000);
  std::normal_distribution<double> slow(900'000'000, 1'000'000);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 9'000; ++i) values.push_back(static_cast<std::uint64_t>(std::max(1.0, fast(random))));
  expect_close_to_sorting(values);
  for (int i = 0; i < 1'000; ++i) values.push_back(static_cast<std::uint64_t>(slow(random)));
  expect_close_to_sorting(values);
}

TEST(Histogram, is_close_for_every_single_value_around_the_powers_of_two) {
  for (int bit = 0; bit < 42; ++bit) {
    for (const std::int64_t off : {-2, -1, 0, 1, 2}) {
      const std::int64_t value = (std::int64_t{1} << bit) + off;
      if (value < 0 || value > static_cast<std::int64_t>(Histogram::kHighest)) continue;
      Histogram histogram;
      histogram.record(static_cast<std::uint64_t>(value));
      histogram.record(Histogram::kHighest);  // else the middle is clamped to the maximum
      EXPECT_NEAR(static_cast<double>(histogram.percentile(50)), static_cast<double>(value),
                  static_cast<double>(value) * kAllowedError);
    }
  }
}

TEST(Histogram, small_values_are_exact_and_the_rank_is_the_nearest) {
  const Histogram histogram = filled({10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  EXPECT_EQ(histogram.percentile(0), 10u);
  EXPECT_EQ(histogram.percentile(10), 10u);
  EXPECT_EQ(histogram.percentile(10.1), 20u);
  EXPECT_EQ(histogram.percentile(50), 50u);
  EXPECT_EQ(histogram.percentile(99), 100u);
  EXPECT_EQ(histogram.percentile(100), 100u);
  EXPECT_EQ(filled({1, 2, 3}).percentile(50), 2u);
}

TEST(Histogram, a_percentage_of_a_round_count_does_not_slip_to_the_next_rank) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 1; i <= 1000; ++i) values.push_back(i);
  const Histogram histogram = filled(values);
  EXPECT_EQ(histogram.percentile(99.9), 999u);
  EXPECT_EQ(histogram.percentile(95), 950u);
  EXPECT_EQ(histogram.percentile(66), 660u);
}

TEST(Histogram, count_sum_min_and_max_are_exact) {
  const std::vector<std::uint64_t> values = log_uniform(1000);
  const Histogram histogram = filled(values);
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.sum(), sum);
  EXPECT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
}

TEST(Histogram, deviation_is_that_of_the_sample) {
  EXPECT_DOUBLE_EQ(filled({2, 4, 4, 4, 5, 5, 7, 9}).deviation(), std::sqrt(32.0 / 7));
  EXPECT_EQ(filled({5}).deviation(), 0);
  EXPECT_EQ(Histogram().deviation(), 0);
  EXPECT_NEAR(filled({1'000'000'000, 1'000'000'100}).deviation(), 70.71, 1);  // close values far from 0
}

TEST(Histogram, more_than_an_hour_saturates_and_is_counted) {
  const Histogram histogram = filled({1, Histogram::kHighest + 1, Histogram::kHighest * 4});
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.saturated(), 2u);
  EXPECT_EQ(histogram.max(), Histogram::kHighest * 4);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(60)), 3.6e12, 3.6e9);
  EXPECT_EQ(histogram.percentile(100), Histogram::kHighest * 4);
}

TEST(Histogram, merging_equals_recording_into_one) {
  const std::vector<std::uint64_t> values = log_uniform(2000);
  Histogram left;
  Histogram right;
  for (std::size_t i = 0; i < values.size(); ++i) (i % 3 == 0 ? left : right).record(values[i]);
  left.merge(right);
  const Histogram whole = filled(values);
  for (const double percent : kPercents) EXPECT_EQ(left.percentile(percent), whole.percentile(percent));
  EXPECT_EQ(left.count(), whole.count());
  EXPECT_EQ(left.sum(), whole.sum());
  EXPECT_EQ(left.min(), whole.min());
  EXPECT_EQ(left.max(), whole.max());
  EXPECT_NEAR(left.deviation(), whole.deviation(), whole.deviation() * 1e-12);
}

TEST(Histogram, merging_with_an_empty_one_changes_nothing) {
  Histogram histogram = filled({5, 6});
  histogram.merge(Histogram());
  EXPECT_EQ(histogram.min(), 5u);
  EXPECT_EQ(histogram.count(), 2u);
}

TEST(Histogram, an_empty_one_says_zero_everywhere) {
  const Histogram histogram;
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.percentile(99), 0u);
}

TEST(Histogram, many_at_once_equal_one_by_one) {
  Histogram histogram = filled({7});
  histogram.record(0, 3);
  histogram.record(9, 0);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 7u);
  EXPECT_EQ(histogram.percentile(50), 0u);
}

}  // namespace
}  // namespace fwd::bench
