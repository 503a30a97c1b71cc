#include "watchdog/server/metrics_server.hpp"

#include <cerrno>

namespace fwd {

Error MetricsServer::open(std::optional<std::uint16_t> asked, std::uint16_t function_port,
                          const std::string& address) {
  const std::uint16_t port = asked.value_or(kUsualPort);
  if (port == 0) return {};
  const Error error = port == function_port ? system_error(EADDRINUSE) : listener_.open(address, port);
  if (error && asked) return error;
  if (error) {
    log_.say("Warning: no metrics, port " + std::to_string(port) + " is taken; set metrics_port");
    return {};
  }
  log_.say("Metrics listening on port: " + std::to_string(port));
  listener_.start();
  return {};
}

void MetricsServer::end() {
  listener_.close();
  sessions_.cut_all();
}

}  // namespace fwd
