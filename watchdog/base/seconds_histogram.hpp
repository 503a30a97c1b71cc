#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "watchdog/base/time.hpp"

namespace fwd {

/// Counts durations in the buckets that the old watchdogs have; Prometheus' defaults.
/// Source: watchdog-contract 1.10.
struct SecondsHistogram {
  /// Upper bounds in seconds; the last bucket has none.
  static constexpr std::array<double, 11> kBounds = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};

  std::uint64_t count = 0;
  double sum_seconds = 0;
  std::array<std::uint64_t, kBounds.size() + 1> buckets{};  // each counts its own, not those below

  void add(nanoseconds duration) {
    const double taken = std::chrono::duration<double>(duration).count();
    ++count;
    sum_seconds += taken;
    ++buckets[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, taken) - kBounds.begin())];
  }

  /// Takes in what another one has counted.
  void add(const SecondsHistogram& other) {
    count += other.count;
    sum_seconds += other.sum_seconds;
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
  }
};

}  // namespace fwd
