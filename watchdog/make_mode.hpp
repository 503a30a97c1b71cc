#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "watchdog/base/log.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/config/options.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/process/reaper.hpp"

namespace fwd {

/// What the settings ask for, and what a mode is made with. References outlive the mode.
struct ModeRequest {
  const Config& config;
  const Environment& environment;        // the watchdog's own
  std::vector<std::string> argv;         // of the function; empty in mode static
  OverdueWatch& watch;
  Reaper& reaper;
  Log& log;
  std::function<void(int)> on_exit;      // told the function's exit code, where its end is to be ours
};

/// Why no mode can be made of these settings: one line that names the option and its value. What options alone can show
/// has been checked before.
std::optional<std::string> find_mode_problem(const Config& config, const std::vector<std::string>& argv);

/// The mode that the settings ask for. Nothing is started yet. Settings with a problem have no mode.
std::unique_ptr<Mode> make_mode(ModeRequest request);

}  // namespace fwd
