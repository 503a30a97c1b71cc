#pragma once

#include <string>

#include "watchdog/base/log.hpp"
#include "watchdog/function_stats.hpp"

namespace fwd {

/// Appends `fwatchdog_*`: workers, queue, losses. Text format 0.0.4.
void append_function_metrics(const FunctionStats& stats, const Log& log, std::string& out);

}  // namespace fwd
