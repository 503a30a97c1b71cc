#pragma once

#include <string>
#include <string_view>

#include "watchdog/base/log.hpp"
#include "watchdog/server/server_exchange.hpp"

namespace fwd {

/// One line for each request: `POST /p - 200 OK - ContentLength: 46B (0.0013s)`, with ` [call-id]` where asked for.
/// Requests of Kubernetes' probes are not logged.
/// Source: watchdog-contract 1.9.
class AccessLog {
 public:
  AccessLog(Log& log, bool call_ids) : log_(log), call_ids_(call_ids) {}

  void write(const ServerExchange& exchange, nanoseconds duration, std::string_view note = {});

 private:
  Log& log_;
  bool call_ids_;
  std::string line_;
};

/// Four significant digits, base 1000: `5B`, `1.282kB`. Source: docker/go-units HumanSize.
std::string human_size(std::uint64_t bytes);

/// Appends `text` with control bytes and bytes above 126 as \xNN, at most 1 KiB of it: no request can forge a line.
void append_escaped(std::string& out, std::string_view text);

}  // namespace fwd
