#pragma once

#include <optional>

#include "watchdog/server/listener.hpp"
#include "watchdog/server/metrics_page.hpp"

namespace fwd {

/// Serves the metrics on a port of their own.
class MetricsServer {
 public:
  static constexpr std::uint16_t kUsualPort = 8081;  // hard-wired in the old watchdogs

  MetricsServer(OverdueWatch& watch, Log& log, MetricsPage& page)
      : log_(log), sessions_(watch, page, SessionOptions{}), listener_(watch, log, sessions_, kMostScrapers) {}

  /// `asked`: the port that was asked for; nothing: the usual one, or none with a warning if that is in the way.
  /// `function_port` is taken by the function; a page that is to share it is not opened here. `address` as
  /// Listener::open().
  /// Errors: EADDRINUSE and others, if the port was asked for.
  Error open(std::optional<std::uint16_t> asked, std::uint16_t function_port, const std::string& address = {});

  /// Cuts every connection and accepts no more.
  void end();

 private:
  static constexpr std::size_t kMostScrapers = 16;

  Log& log_;
  Sessions sessions_;
  Listener listener_;
};

}  // namespace fwd
