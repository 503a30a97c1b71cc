#include "bench/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace fwd::bench {

void Histogram::record(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  counts_[index_of(value)] += times;
  note(value, times);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  square_sum_ += other.square_sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  saturated_ += other.saturated_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double Histogram::deviation() const {
  if (count_ < 2) return 0;
  const auto n = static_cast<double>(count_);
  const double around_mean = square_sum_ - static_cast<double>(sum_) * mean();
  return std::sqrt(std::max(0.0, around_mean / (n - 1)));
}

std::uint64_t Histogram::middle_of(std::size_t index) {
  if (index < 2 * kHalf) return index;
  const auto shift = index / kHalf - 1;
  const std::uint64_t low = (index - shift * kHalf) << shift;
  return low + (std::uint64_t{1} << shift) / 2;
}

std::uint64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  // The product of a percentage and a count may lie a hair above the whole number it means (0.999 * 1000).
  const double exact = percent / 100 * static_cast<double>(count_);
  const auto wanted = static_cast<std::uint64_t>(std::ceil(exact - exact * 1e-12));
  const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count_);
  if (rank == count_) return max_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::clamp(middle_of(i), min_, max_);
  }
  return max_;
}

}  // namespace fwd::bench
