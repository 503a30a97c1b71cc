#pragma once

#include "watchdog/config/config.hpp"
#include "watchdog/server/access_log.hpp"
#include "watchdog/server/sessions.hpp"

namespace fwd {

/// The settings as the parts of the server want them.
SessionOptions session_options(const Config& config);
AccessLogOptions access_log_options(const Config& config);

}  // namespace fwd
