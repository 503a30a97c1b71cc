#include "watchdog/server/function_metrics.hpp"

#include <utility>

#include "watchdog/server/metrics.hpp"

namespace fwd {
namespace {

using Labelled = std::pair<std::string_view, std::uint64_t>;  // the value of the label, and the sample's

void append_one(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                std::uint64_t value) {
  append_family(out, name, type, help);
  append_sample(out, name, static_cast<double>(value));
}

void append_all(std::string& out, const std::string& name, std::string_view label, std::span<const Labelled> samples) {
  for (const auto& [value, count] : samples)
    append_sample(out, name + "{" + std::string(label) + "=\"" + std::string(value) + "\"}",
                  static_cast<double>(count));
}

}  // namespace

void append_function_metrics(const FunctionStats& stats, const Log& log, std::string& out) {
  const FunctionStats::Losses& losses = stats.losses;
  append_one(out, "fwatchdog_queue_length", "gauge", "Requests that wait for a worker.", stats.queued);
  append_family(out, "fwatchdog_queue_wait_seconds", "histogram", "How long requests waited for their worker.");
  append_histogram(out, "fwatchdog_queue_wait_seconds", {}, stats.wait);

  append_family(out, "fwatchdog_workers", "gauge", "Function processes by state.");
  append_all(out, "fwatchdog_workers", "state",
             std::initializer_list<Labelled>{
                 {"busy", stats.busy}, {"idle", stats.idle}, {"starting", stats.starting}, {"down", stats.down}});
  append_one(out, "fwatchdog_process_starts_total", "counter", "Function processes started.", stats.started);
  append_one(out, "fwatchdog_process_start_failures_total", "counter", "Function processes that could not be started.",
             stats.start_failures);
  append_family(out, "fwatchdog_process_start_seconds", "histogram", "How long starting a function process took us.");
  append_histogram(out, "fwatchdog_process_start_seconds", {}, stats.spawn);
  append_family(out, "fwatchdog_process_losses_total", "counter", "Function processes that had to be replaced.");
  append_all(out, "fwatchdog_process_losses_total", "cause",
             std::initializer_list<Labelled>{{"died", losses.died},
                                             {"exec_timeout", losses.overdue},
                                             {"protocol", losses.broke_protocol},
                                             {"stray_output", losses.stray_output},
                                             {"client_gone", losses.client_gone},
                                             {"max_requests", losses.max_requests},
                                             {"max_lifetime", losses.max_lifetime},
                                             {"max_rss", losses.max_rss}});

  append_one(out, "fwatchdog_tunnels", "gauge", "Connections handed over by an upgrade.", stats.tunnels);
  append_one(out, "fwatchdog_tunnels_opened_total", "counter", "Connections handed over by an upgrade, so far.",
             stats.tunnels_opened);
  append_one(out, "fwatchdog_log_lines_dropped_total", "counter", "Log lines lost because nobody read them.",
             log.dropped());
}

void append_instance_metrics(const InstanceFacts& facts, std::string& out) {
  append_family(out, "fwatchdog_build_info", "gauge", "Which watchdog this is.");
  append_sample(out,
                "fwatchdog_build_info{version=\"" + std::string(facts.version) + "\",commit=\"" +
                    std::string(facts.commit) + "\"}",
                1);
  append_one(out, "fwatchdog_connections", "gauge", "Connections of clients.", facts.connections);
}

}  // namespace fwd
