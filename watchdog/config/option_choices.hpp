#pragma once

#include <string_view>

#include "watchdog/config/config.hpp"
#include "watchdog/config/option_values.hpp"

namespace fwd {

// Readers of settings that are one of a few names. Case counts. Errors: any other name, with the list of those there
// are.

/// Suggests the nearest name; refuses `inproc`, which only a Go program can be.
Reading read_mode(ModeName& setting, std::string_view text);

Reading read_units(AfterburnUnits& setting, std::string_view text);
Reading read_stray(StrayOutput& setting, std::string_view text);
Reading read_cgi_vars(CgiVars& setting, std::string_view text);
Reading read_function_exit(FunctionExit& setting, std::string_view text);
Reading read_log_format(LogFormat& setting, std::string_view text);
Reading read_access_logged(AccessLogged& setting, std::string_view text);

}  // namespace fwd
