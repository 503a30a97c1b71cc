#pragma once

#include <string>

#include "watchdog/base/log.hpp"
#include "watchdog/function_stats.hpp"

namespace fwd {

/// Appends `fwatchdog_*` of the function: queue, processes, tunnels, lost log lines. Text format 0.0.4.
void append_function_metrics(const FunctionStats& stats, const Log& log, std::string& out);

/// What the metrics page says of the watchdog itself.
struct InstanceFacts {
  std::string_view version;
  std::string_view commit;
  std::size_t connections = 0;  // of clients, now
};

/// Appends `fwatchdog_build_info` and `fwatchdog_connections`.
void append_instance_metrics(const InstanceFacts& facts, std::string& out);

}  // namespace fwd
