#include "function/handler.hpp"

#include <string>

// See ../../README.md for what `event` has and what may be returned.
fwatchdog::Answer handle(const fwatchdog::Event& event) {
  return "You said: " + std::string(event.body) + ". That was so fast!";
}
