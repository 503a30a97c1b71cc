#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fwd::bench {

/// Counts of durations, log-linear, in constant memory (256 KiB).
/// Units:  nanoseconds from 0 to one hour. Values below 2048 are exact; above, a bucket is at most 1/1024 of its value
/// wide and
///         stands for its middle, so a percentile is off by at most 0.05 %. Count, sum, min and max are exact.
/// Errors: a value of more than one hour is counted in the last bucket and in `saturated()`; min, max and sum stay
/// exact. Source: HdrHistogram's layout with 3 significant digits, so that its file formats can be written from it.
class Histogram {
 public:
  static constexpr std::uint64_t kHighest = 3'600'000'000'000;

  Histogram() : counts_(kBuckets) {}

  void record(std::uint64_t value) {
    ++counts_[index_of(value)];
    note(value, 1);
  }
  void record(std::uint64_t value, std::uint64_t times);

  /// Adds everything that `other` holds, as if it had been recorded here.
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  std::uint64_t saturated() const { return saturated_; }
  double mean() const;
  /// The sample standard deviation (n - 1); 0 for fewer than two values.
  double deviation() const;

  /// Nearest rank: the smallest recorded value such that at least `percent` of all values are no larger. 0 when empty.
  /// percentile(50) is therefore the lower of the two middle values when their number is even.
  std::uint64_t percentile(double percent) const;

 private:
  static constexpr int kLinearBits = 11;  // 2048 exact values, then 1024 buckets per doubling: 3 significant digits
  static constexpr std::uint64_t kHalf = 1u << (kLinearBits - 1);
  static constexpr int kDoublings = 42 - kLinearBits;  // 2^42 ns = 73 minutes
  static constexpr std::size_t kBuckets = (kDoublings + 2) * kHalf;

  static std::size_t index_of(std::uint64_t value) {
    if (value > kHighest) value = kHighest;
    const int shift = std::bit_width(value | (kHalf * 2 - 1)) - kLinearBits;
    return static_cast<std::size_t>(shift) * kHalf + (value >> shift);
  }
  static std::uint64_t middle_of(std::size_t index);

  void note(std::uint64_t value, std::uint64_t times) {
    count_ += times;
    sum_ += value * times;
    const auto real = static_cast<double>(value);
    square_sum_ += real * real * static_cast<double>(times);
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
    if (value > kHighest) saturated_ += times;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;  // 2^64 ns are 584 years of requests
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
  std::uint64_t saturated_ = 0;
  double square_sum_ = 0;
};

}  // namespace fwd::bench
