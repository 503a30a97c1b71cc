#pragma once

#include "fwatchdog_function.hpp"

/// Answers one request.
fwatchdog::Answer handle(const fwatchdog::Event& event);
