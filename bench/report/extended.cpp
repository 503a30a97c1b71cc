#include "bench/report/extended.hpp"

#include "bench/report/text.hpp"

namespace fwd::bench {
namespace {

using Count = unsigned long long;

void print_quantiles(std::string& text, const char* label, const Quantiles& quantiles) {
  print_to(text, "%-15s", label);
  for (const std::uint64_t value : quantiles.values) print_to(text, " %10.3f", static_cast<double>(value) / 1e6);
  print_to(text, " %10.3f\n", static_cast<double>(quantiles.max) / 1e6);
}

void print_latency(std::string& text, const Summary& summary) {
  text += "Latency (ms)           p50        p90        p95        p99      p99.9        max\n";
  print_quantiles(text, "Total:", summary.total_quantiles);
  if (summary.connect_quantiles.count > 0) print_quantiles(text, "Connect:", summary.connect_quantiles);
  print_quantiles(text, "Wait:", summary.waiting_quantiles);
  if (summary.with_failures.count > summary.total_quantiles.count) {
    print_quantiles(text, "With failures:", summary.with_failures);
    text += "                (each failed request counts as having taken at least as long as it did)\n";
  }
  if (summary.saturated > 0)
    print_to(text, "                %llu answers took more than 1 h\n", Count{summary.saturated});
}

void print_statuses(std::string& text, const Summary& summary) {
  text += "Statuses:      ";
  if (summary.statuses.empty()) text += " none";
  for (std::size_t i = 0; i < summary.statuses.size();) {
    const int status_class = summary.statuses[i].first / 100;
    std::uint64_t sum = 0;
    std::string codes;
    for (; i < summary.statuses.size() && summary.statuses[i].first / 100 == status_class; ++i) {
      sum += summary.statuses[i].second;
      print_to(codes, "%s%d: %llu", codes.empty() ? "" : ", ", summary.statuses[i].first,
               Count{summary.statuses[i].second});
    }
    print_to(text, " %dxx %llu (%s)", status_class, Count{sum}, codes.c_str());
  }
  text += '\n';
}

void print_errors(std::string& text, const Summary& summary) {
  text += "Errors:        ";
  const char* separator = " ";
  for (std::size_t kind = 1; kind < kFailureKinds; ++kind) {
    if (summary.failed_by_kind[kind] == 0) continue;
    const std::string name(failure_name(static_cast<Failure>(kind)));
    print_to(text, "%s%s %llu", separator, name.c_str(), Count{summary.failed_by_kind[kind]});
    separator = ", ";
  }
  text += summary.failed == 0 ? " none\n" : "\n";
  if (summary.failed_by_kind[static_cast<std::size_t>(Failure::no_ports)] > 0) {
    text += "Local limit:    this machine ran out of ephemeral ports; use -k, or net.ipv4.ip_local_port_range\n";
  }
  if (summary.failed_by_kind[static_cast<std::size_t>(Failure::no_descriptors)] > 0) {
    text += "Local limit:    this process ran out of file descriptors; use ulimit -n, or a smaller -c\n";
  }
}

void print_accounting(std::string& text, const Summary& summary) {
  print_to(text, "Accounting:     %llu started = %llu ok + %llu failed + %llu interrupted%s\n", Count{summary.started},
           Count{summary.ok}, Count{summary.failed}, Count{summary.interrupted},
           summary.accounting_holds() ? "" : "  DOES NOT ADD UP: this is a bug of fbench");
}

const char* ending_text(Ending ending) {
  switch (ending) {
    case Ending::all_done:
      return "all requests done";
    case Ending::time_limit:
      return "time limit";
    case Ending::interrupted:
      return "interrupted";
    case Ending::nothing_connected:
      return "gave up: no connection could be made";
  }
  return "";
}

}  // namespace

std::string extended_report(const Summary& summary, const Options& options) {
  std::string text = "\nExtended (closed loop: service time, from the moment a connection was free)\n";
  if (summary.answers() > 0) print_latency(text, summary);
  print_statuses(text, summary);
  print_errors(text, summary);
  print_to(text, "Ok per second:  %.2f\n", summary.ok_per_second);
  if (options.request.keep_alive)
    print_to(text, "Keep-Alive races: %llu (retried once each)\n", Count{summary.keep_alive_races});
  print_to(text, "Ended by:       %s\n", ending_text(summary.ending));
  print_accounting(text, summary);
  print_to(text, "Generator CPU:  %.3f s user + %.3f s system = %.1f %% of one core, %.2f us per request\n",
           summary.generator.user_seconds, summary.generator.system_seconds, summary.generator_cpu_share * 100,
           summary.generator_us_per_request);
  return text;
}

}  // namespace fwd::bench
