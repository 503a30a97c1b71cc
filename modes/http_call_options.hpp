#pragma once

#include "watchdog/base/time.hpp"

namespace fwd {

/// How long the phases of one request to an upstream may take. Zero or less: no limit.
struct UpstreamTimeouts {
  nanoseconds connect{};             // of one connection
  nanoseconds first_byte{};          // from the request's head on the wire to the answer's
  nanoseconds idle{};                // between two pieces of the answer
  nanoseconds total = seconds(30);   // all of it, from the hand-over: exec_timeout
};

/// How one request is forwarded to an upstream.
struct HttpCallOptions {
  UpstreamTimeouts timeouts;
  nanoseconds tunnel_idle{};         // without a byte in either direction; zero or less: no limit
  nanoseconds tunnel_total{};        // from the upgrade; zero or less: no limit
  bool buffer_body = false;          // a chunked body is read to its end first, and sent with its length
  bool duration_header = true;       // X-Duration-Seconds: from the hand-over to the head of the answer
  bool cancel_on_disconnect = true;  // the client has gone: the upstream's connection is closed at once
};

}  // namespace fwd
