#include "watchdog/server/metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr std::array<std::string_view, 11> kMethods = {"get",     "put",    "head",  "post",  "delete", "connect",
                                                       "options", "notify", "trace", "patch", "unknown"};

std::size_t method_index(std::string_view method) {
  const auto known = std::ranges::find_if(kMethods, [&](std::string_view each) { return same_name(each, method); });
  return std::min<std::size_t>(static_cast<std::size_t>(known - kMethods.begin()), kMethods.size() - 1);
}

void append_value(std::string& out, double value) {
  char text[32];
  const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
  (void)failure;  // 32 characters hold the shortest form of every double
}

std::string labels(std::string_view method, int status) {
  return "code=\"" + std::to_string(status) + "\",method=\"" + std::string(method) + "\"";
}

}  // namespace

void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void append_sample(std::string& out, std::string_view name, double value) {
  out.append(name).append(" ");
  append_value(out, value);
  out += '\n';
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const SecondsHistogram& histogram) {
  const std::string prefix = std::string(name) + "_bucket{" + std::string(labels) + (labels.empty() ? "" : ",");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    below += histogram.buckets[i];
    out.append(prefix).append("le=\"");
    if (i < SecondsHistogram::kBounds.size()) append_value(out, SecondsHistogram::kBounds[i]);
    if (i == SecondsHistogram::kBounds.size()) out.append("+Inf");
    append_sample(out, "\"}", static_cast<double>(below));
  }
  const std::string suffix = labels.empty() ? std::string() : "{" + std::string(labels) + "}";
  append_sample(out, std::string(name) + "_sum" + suffix, histogram.sum_seconds);
  append_sample(out, std::string(name) + "_count" + suffix, static_cast<double>(histogram.count));
}

void RequestMetrics::end(std::string_view method, int status, nanoseconds duration) {
  --in_flight_;
  series(method_index(method), status).durations.add(duration);
}

RequestMetrics::Series& RequestMetrics::series(std::size_t method, int status) {
  for (Series& each : series_)
    if (each.method == method && each.status == status) return each;
  return series_.emplace_back(Series{.method = method, .status = status, .durations = {}});
}

void RequestMetrics::append_to(std::string& out) const {
  append_family(out, "http_requests_in_flight", "gauge", "total HTTP requests in-flight");
  append_sample(out, "http_requests_in_flight", static_cast<double>(in_flight_));
  if (!series_.empty()) append_series(out);  // as the old watchdogs: these appear with the first request
  errors_.append_to(out);
}

void RequestMetrics::append_series(std::string& out) const {
  append_family(out, "http_request_duration_seconds", "histogram", "Seconds spent serving HTTP requests.");
  for (const Series& each : series_)
    append_histogram(out, "http_request_duration_seconds", labels(kMethods[each.method], each.status), each.durations);
  append_family(out, "http_requests_total", "counter", "total HTTP requests processed");
  for (const Series& each : series_)
    append_sample(out, "http_requests_total{" + labels(kMethods[each.method], each.status) + "}",
                  static_cast<double>(each.durations.count));
}

}  // namespace fwd
