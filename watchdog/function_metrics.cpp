#include "watchdog/function_metrics.hpp"

#include "watchdog/server/metrics.hpp"

namespace fwd {
namespace {

void append_one(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                std::uint64_t value) {
  append_family(out, name, type, help);
  append_sample(out, name, static_cast<double>(value));
}

}  // namespace

void append_function_metrics(const FunctionStats& stats, const Log& log, std::string& out) {
  const FunctionStats::Losses& losses = stats.losses;
  append_one(out, "fwatchdog_queue_length", "gauge", "Requests that wait for a worker.", stats.queued);
  append_family(out, "fwatchdog_workers", "gauge", "Function processes by state.");
  append_sample(out, "fwatchdog_workers{state=\"busy\"}", static_cast<double>(stats.busy));
  append_sample(out, "fwatchdog_workers{state=\"idle\"}", static_cast<double>(stats.idle));
  append_sample(out, "fwatchdog_workers{state=\"down\"}", static_cast<double>(stats.down));
  append_one(out, "fwatchdog_process_starts_total", "counter", "Function processes started.", stats.started);
  append_family(out, "fwatchdog_process_losses_total", "counter", "Function processes that had to be replaced.");
  append_sample(out, "fwatchdog_process_losses_total{cause=\"died\"}", static_cast<double>(losses.died));
  append_sample(out, "fwatchdog_process_losses_total{cause=\"exec_timeout\"}", static_cast<double>(losses.overdue));
  append_sample(out, "fwatchdog_process_losses_total{cause=\"protocol\"}", static_cast<double>(losses.broke_protocol));
  append_sample(out, "fwatchdog_process_losses_total{cause=\"stray_output\"}", static_cast<double>(losses.stray_output));
  append_one(out, "fwatchdog_log_lines_dropped_total", "counter", "Log lines lost because nobody read them.",
             log.dropped());
}

}  // namespace fwd
