#pragma once

#include "watchdog/base/time.hpp"

namespace fwd {

/// When each phase of one request began; everyone on its way fills in its own. Unset moments are the clock's epoch.
/// Order:  received <= body_read <= handed_over <= first_byte <= answered.
struct Timing {
  Clock::time_point received{};     // the first byte of the request was there
  Clock::time_point head_read{};    // its head was complete
  Clock::time_point body_read{};    // its body was complete, and it began to wait for a worker
  Clock::time_point handed_over{};  // a worker had been found, and its first byte was about to be written
  Clock::time_point first_byte{};   // the function's answer began
  Clock::time_point answered{};     // the last byte of the answer was handed to the socket
};

}  // namespace fwd
