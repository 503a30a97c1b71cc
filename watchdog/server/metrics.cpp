#include "watchdog/server/metrics.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr std::array<std::string_view, 11> kMethods = {"get",     "put",     "head",  "post",  "delete", "connect",
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

void RequestMetrics::end(std::string_view method, int status, nanoseconds duration) {
  --in_flight_;
  Series& counts = series(method_index(method), status);
  const double elapsed = std::chrono::duration<double>(duration).count();
  ++counts.count;
  counts.sum_seconds += elapsed;
  ++counts.buckets[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, elapsed) - kBounds.begin())];
}

RequestMetrics::Series& RequestMetrics::series(std::size_t method, int status) {
  for (Series& each : series_)
    if (each.method == method && each.status == status) return each;
  return series_.emplace_back(Series{.method = method, .status = status});
}

void RequestMetrics::append_to(std::string& out) const {
  append_family(out, "http_requests_in_flight", "gauge", "total HTTP requests in-flight");
  append_sample(out, "http_requests_in_flight", static_cast<double>(in_flight_));
  if (series_.empty()) return;  // as the old watchdogs: these appear with the first request

  append_family(out, "http_request_duration_seconds", "histogram", "Seconds spent serving HTTP requests.");
  for (const Series& each : series_) {
    const std::string name = labels(kMethods[each.method], each.status);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < each.buckets.size(); ++i) {
      below += each.buckets[i];
      out.append("http_request_duration_seconds_bucket{").append(name).append(",le=\"");
      if (i < kBounds.size()) append_value(out, kBounds[i]);
      if (i == kBounds.size()) out.append("+Inf");
      out.append("\"} ").append(std::to_string(below)).append("\n");
    }
    append_sample(out, "http_request_duration_seconds_sum{" + name + "}", each.sum_seconds);
    append_sample(out, "http_request_duration_seconds_count{" + name + "}", static_cast<double>(each.count));
  }
  append_family(out, "http_requests_total", "counter", "total HTTP requests processed");
  for (const Series& each : series_)
    append_sample(out, "http_requests_total{" + labels(kMethods[each.method], each.status) + "}",
                  static_cast<double>(each.count));
}

}  // namespace fwd
