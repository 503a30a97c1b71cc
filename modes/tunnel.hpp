#pragma once

#include "modes/upstream_connection.hpp"
#include "watchdog/base/duplex.hpp"

namespace fwd {

/// Passes bytes both ways between a client and an upstream, once both speak another protocol. An end of one side's
/// sending is passed on, and the other direction goes on.
class Tunnel : private Overdue {
 public:
  /// Zero or less: no limit.
  struct Limits {
    nanoseconds idle{};   // without a byte in either direction
    nanoseconds total{};
  };

  /// `client` and `upstream` outlive this; what they have read ahead is passed on first.
  Tunnel(OverdueWatch& watch, Duplex& client, UpstreamConnection& upstream, Limits limits)
      : watch_(watch), client_(client), upstream_(upstream), limits_(limits) {}

  /// Until both directions have ended, one of them has failed, or a limit has passed: then both are closed.
  Task<void> run();

 private:
  void overdue() override { close(); }
  Task<void> to_client();
  Task<void> to_upstream();
  Task<void> run_to_upstream();
  void moved();
  void close();

  OverdueWatch& watch_;
  Duplex& client_;
  UpstreamConnection& upstream_;
  Limits limits_;
  Deadline total_due_ = kNever;
  bool sending_ = false;  // to_upstream() runs
  Event sent_;
};

}  // namespace fwd
