#include "bench/report/ab.hpp"

#include <cmath>

#include "bench/report/text.hpp"

namespace fwd::bench {
namespace {

using Count = unsigned long long;

constexpr double kNanosecondsPerMs = 1e6;

double ms(double nanosecond_count) {
  return nanosecond_count / kNanosecondsPerMs;
}
long whole_ms(double nanosecond_count) {
  return std::lround(ms(nanosecond_count));
}

void print_target(std::string& text, const Summary& summary, const Options& options) {
  const std::string software = summary.server.substr(0, summary.server.find(' '));
  print_to(text, "Server Software:        %s\n", software.c_str());
  print_to(text, "Server Hostname:        %s\n", options.url.host.c_str());
  print_to(text, "Server Port:            %hu\n\n", options.url.port);
  print_to(text, "Document Path:          %s\n", options.url.path.c_str());
  if (options.any_length) {
    print_to(text, "Document Length:        Variable\n\n");
  } else {
    print_to(text, "Document Length:        %llu bytes\n\n", Count{summary.document_length.value_or(0)});
  }
}

void print_counts(std::string& text, const Summary& summary, const Options& options) {
  print_to(text, "Concurrency Level:      %u\n", options.concurrency);
  print_to(text, "Time taken for tests:   %.3f seconds\n", summary.seconds);
  print_to(text, "Complete requests:      %llu\n", Count{summary.completed});
  print_to(text, "Failed requests:        %llu\n", Count{summary.failed});
  if (summary.failed > 0) {
    const auto& by = summary.failed_by_column;
    print_to(text, "   (Connect: %llu, Receive: %llu, Length: %llu, Exceptions: %llu)\n", Count{by[0]}, Count{by[1]},
             Count{by[2]}, Count{by[3]});
  }
  const std::uint64_t write_errors = summary.failed_by_kind[static_cast<std::size_t>(Failure::write_error)];
  if (write_errors > 0) print_to(text, "Write errors:           %llu\n", Count{write_errors});
  if (summary.non_2xx > 0) print_to(text, "Non-2xx responses:      %llu\n", Count{summary.non_2xx});
  if (options.request.keep_alive) print_to(text, "Keep-Alive requests:    %llu\n", Count{summary.keep_alive_requests});
  print_to(text, "Total transferred:      %llu bytes\n", Count{summary.bytes_received});
  if (options.request.has_body) print_to(text, "Total body sent:        %llu\n", Count{summary.bytes_sent});
  print_to(text, "HTML transferred:       %llu bytes\n", Count{summary.body_bytes});
}

void print_rates(std::string& text, const Summary& summary, const Options& options) {
  if (summary.seconds <= 0 || summary.completed == 0) return;
  print_to(text, "Requests per second:    %.2f [#/sec] (mean)\n", summary.requests_per_second);
  print_to(text, "Time per request:       %.3f [ms] (mean)\n", summary.ms_per_request);
  print_to(text, "Time per request:       %.3f [ms] (mean, across all concurrent requests)\n",
           summary.ms_per_request_all);
  print_to(text, "Transfer rate:          %.2f [Kbytes/sec] received\n", summary.kib_received_per_second);
  if (!options.request.has_body) return;
  print_to(text, "                        %.2f kb/s sent\n", summary.kib_sent_per_second);
  print_to(text, "                        %.2f kb/s total\n",
           summary.kib_received_per_second + summary.kib_sent_per_second);
}

void print_times_row(std::string& text, const char* label, const TimesRow& row, const Options& options) {
  const bool fine = options.precision == Precision::microseconds;
  if (options.without_deviation && fine) {
    print_to(text, "%-12s%9.3f %9.3f %9.3f\n", label, ms(row.min), ms(row.mean), ms(row.max));
  } else if (options.without_deviation) {
    print_to(text, "%-12s%5ld %5ld%5ld\n", label, whole_ms(row.min), whole_ms(row.mean), whole_ms(row.max));
  } else if (fine) {
    print_to(text, "%-12s%9.3f %9.3f %9.3f %9.3f %9.3f\n", label, ms(row.min), ms(row.mean), ms(row.deviation),
             ms(row.median), ms(row.max));
  } else {
    print_to(text, "%-12s%5ld %4ld %5.1f %6ld %7ld\n", label, whole_ms(row.min), whole_ms(row.mean), ms(row.deviation),
             whole_ms(row.median), whole_ms(row.max));
  }
}

/// ab compares values that it has rounded to milliseconds, so that rounding alone warns; here they are exact.
void print_warning(std::string& text, const char* what, const TimesRow& row) {
  const double distance = std::abs(row.mean - row.median);
  if (distance > 2 * row.deviation) {
    print_to(text,
             "ERROR: The median and mean for %s are more than twice the standard\n"
             "       deviation apart. These results are NOT reliable.\n",
             what);
  } else if (distance > row.deviation) {
    print_to(text,
             "WARNING: The median and mean for %s are not within a normal deviation\n"
             "        These results are probably not that reliable.\n",
             what);
  }
}

void print_times(std::string& text, const Summary& summary, const Options& options) {
  if (summary.answers() == 0) return;
  const bool fine = options.precision == Precision::microseconds;
  text += "\nConnection Times (ms)\n";
  if (options.without_deviation) {
    text += fine ? "                  min       avg       max\n" : "              min   avg   max\n";
  } else {
    text += fine ? "                  min      mean   [+/-sd]    median       max\n"
                 : "              min  mean[+/-sd] median   max\n";
  }
  print_times_row(text, "Connect:", summary.connect, options);
  print_times_row(text, "Processing:", summary.processing, options);
  print_times_row(text, "Waiting:", summary.waiting, options);
  print_times_row(text, "Total:", summary.total, options);
  if (options.without_deviation) return;
  print_warning(text, "the initial connection time", summary.connect);
  print_warning(text, "the processing time", summary.processing);
  print_warning(text, "the waiting time", summary.waiting);
  print_warning(text, "the total time", summary.total);
}

void print_percentages(std::string& text, const Summary& summary, const Options& options) {
  if (options.without_percentiles || summary.answers() < 2) return;
  const bool fine = options.precision == Precision::microseconds;
  const auto line = [&](int percent, double value, const char* end) {
    if (fine)
      print_to(text, " %3d%%  %9.3f%s\n", percent, ms(value), end);
    else
      print_to(text, " %3d%%  %5ld%s\n", percent, whole_ms(value), end);
  };
  text += "\nPercentage of the requests served within a certain time (ms)\n";
  for (std::size_t i = 0; i < Summary::kAbPercents.size(); ++i) {
    line(Summary::kAbPercents[i], static_cast<double>(summary.ab_percentiles[i]), "");
  }
  line(100, summary.total.max, " (longest request)");
}

}  // namespace

std::string ab_report(const Summary& summary, const Options& options) {
  std::string text;
  print_target(text, summary, options);
  print_counts(text, summary, options);
  print_rates(text, summary, options);
  print_times(text, summary, options);
  print_percentages(text, summary, options);
  return text;
}

}  // namespace fwd::bench
