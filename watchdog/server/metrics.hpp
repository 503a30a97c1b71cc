#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/seconds_histogram.hpp"
#include "watchdog/server/error_metrics.hpp"

namespace fwd {

/// Counts of the requests to the function, by status and method, and of what went wrong with requests.
/// Source: watchdog-contract 1.10, names, help texts, labels and buckets.
class RequestMetrics {
 public:
  void begin() { ++in_flight_; }
  void end(std::string_view method, int status, nanoseconds duration);

  /// Counts an error that a request ended in; one that never got as far as begin() included.
  void count(const Error& error) { errors_.count(error); }

  /// Appends the families in text format 0.0.4: those of the contract, then ours.
  void append_to(std::string& out) const;

 private:
  struct Series {
    std::size_t method;
    int status;
    SecondsHistogram durations;
  };

  Series& series(std::size_t method, int status);
  void append_series(std::string& out) const;

  std::vector<Series> series_;  // a dozen at the most in practice: methods times statuses
  std::uint64_t in_flight_ = 0;
  ErrorMetrics errors_;
};

/// Appends `# HELP` and `# TYPE` of one family.
void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help);

/// Appends one sample; `name` may have its labels behind it.
void append_sample(std::string& out, std::string_view name, double value);

/// Appends the samples of one histogram. `labels` are those beside `le`, without braces; may be empty.
void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const SecondsHistogram& histogram);

/// Appends process_* of this process, from /proc; nothing where there is none.
void append_process_metrics(std::string& out);

}  // namespace fwd
