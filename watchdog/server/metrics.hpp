#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/time.hpp"

namespace fwd {

/// Counts of the requests to the function, by status and method.
/// Source: watchdog-contract 1.10, names, help texts, labels and buckets.
class RequestMetrics {
 public:
  /// Upper bounds of the duration histogram, in seconds; the last bucket has none.
  static constexpr std::array<double, 11> kBounds = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};

  void begin() { ++in_flight_; }
  void end(std::string_view method, int status, nanoseconds duration);

  /// Appends the families in text format 0.0.4.
  void append_to(std::string& out) const;

 private:
  struct Series {
    std::size_t method;
    int status;
    std::uint64_t count = 0;
    double sum_seconds = 0;
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
  };

  Series& series(std::size_t method, int status);

  std::vector<Series> series_;  // a dozen at the most in practice: methods times statuses
  std::uint64_t in_flight_ = 0;
};

/// Appends `# HELP` and `# TYPE` of one family.
void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help);

/// Appends one sample without labels.
void append_sample(std::string& out, std::string_view name, double value);

/// Appends process_* of this process, from /proc; nothing where there is none.
void append_process_metrics(std::string& out);

}  // namespace fwd
