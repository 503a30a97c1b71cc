#pragma once

#include <functional>
#include <string>

#include "watchdog/mode.hpp"
#include "watchdog/server/access_log.hpp"
#include "watchdog/server/gate.hpp"
#include "watchdog/server/health.hpp"
#include "watchdog/server/metrics_page.hpp"

namespace fwd {

struct DispatcherOptions {
  std::string ready_path;             // /_/ready asks the function with it; empty: it does not
  std::function<void()> after_one{};  // set: one request is served, then this is called; others are turned away
  bool duration_header = false;       // an error of the function's says how long it took
};

/// The policy of a request: our own endpoints, the limit, the function, and what becomes of errors.
class Dispatcher final : public RequestHandler {
 public:
  Dispatcher(Mode& mode, Health& health, Gate& gate, RequestMetrics& metrics, AccessLog& access_log, Log& log,
             DispatcherOptions options = {})
      : mode_(mode),
        health_(health),
        gate_(gate),
        metrics_(metrics),
        access_log_(access_log),
        log_(log),
        options_(std::move(options)) {}

  /// The path of `page` is answered here too: metrics share the listener.
  void share(MetricsPage& page) { metrics_page_ = &page; }

  Task<void> serve(ServerExchange& exchange) override;
  Task<void> refuse(ServerExchange& exchange, Error error) override;
  void failed(std::string_view what) override { log_.say("Internal error: " + std::string(what)); }

 private:
  Task<void> serve_health(ServerExchange& exchange);
  Task<void> serve_ready(ServerExchange& exchange);
  Task<void> ask_ready(ServerExchange& exchange);
  Task<void> serve_function(ServerExchange& exchange);
  Error admit(ServerExchange& exchange);
  std::string text_for(const Error& error) const;

  Mode& mode_;
  Health& health_;
  Gate& gate_;
  RequestMetrics& metrics_;
  AccessLog& access_log_;
  Log& log_;
  DispatcherOptions options_;
  MetricsPage* metrics_page_ = nullptr;
  bool one_taken_ = false;  // after_one: the one request is here
};

}  // namespace fwd
