#pragma once

#include <optional>
#include <string>
#include <vector>

#include "watchdog/config/given_options.hpp"
#include "watchdog/config/options.hpp"

namespace fwd {

/// What only all settings together can show, once the defaults are filled in.
/// Shape:  appends a line to `invocation.warnings` for what works, but not as the reader may expect.
/// Errors: no function where the mode needs one, and what a mode needs or cannot have.
std::optional<OptionError> check_settings(Invocation& invocation, const GivenOptions& given);

/// What the old watchdogs read of `environment` and this one cannot do.
/// Errors: authentication was asked for. Without it nothing is served that was to be protected.
std::optional<OptionError> check_environment(Invocation& invocation, const Environment& environment);

}  // namespace fwd
