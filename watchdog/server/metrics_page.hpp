#pragma once

#include <functional>
#include <string>

#include "watchdog/base/log.hpp"
#include "watchdog/server/metrics.hpp"
#include "watchdog/server/request_handler.hpp"

namespace fwd {

/// Answers one path with the metrics; 404 elsewhere.
class MetricsPage final : public RequestHandler {
 public:
  /// `more` appends families of others.
  MetricsPage(const RequestMetrics& requests, Log& log, std::function<void(std::string&)> more,
              std::string path = "/metrics")
      : requests_(requests), log_(log), more_(std::move(more)), path_(std::move(path)) {}

  Task<void> serve(ServerExchange& exchange) override;
  Task<void> refuse(ServerExchange& exchange, Error error) override;
  void failed(std::string_view what) override { log_.say("Internal error: " + std::string(what)); }

  bool is_for(const RequestHead& request) const { return request.path() == path_; }

 private:
  const RequestMetrics& requests_;
  Log& log_;
  std::function<void(std::string&)> more_;
  std::string path_;
};

}  // namespace fwd
