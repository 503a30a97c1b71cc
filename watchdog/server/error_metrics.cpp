#include "watchdog/server/error_metrics.hpp"

#include <string_view>

#include "watchdog/server/metrics.hpp"

namespace fwd {
namespace {

constexpr std::array<std::string_view, 6> kReasonNames = {"over_limit", "queue_full", "queue_timeout",
                                                          "no_worker",  "draining",   "malformed"};
constexpr std::array<std::string_view, 4> kPhaseNames = {"exec", "deadline", "read", "write"};

}  // namespace

void ErrorMetrics::count(const Error& error) {
  if (error.category() == fwd_category()) count_errc(static_cast<Errc>(error.value()));
}

void ErrorMetrics::count_errc(Errc code) {
  switch (code) {
    case Errc::over_limit: ++rejections_[over_limit]; return;
    case Errc::queue_full: ++rejections_[queue_full]; return;
    case Errc::queue_timeout: ++rejections_[queue_timeout]; return;
    case Errc::no_worker:
    case Errc::spawn_lacks_resources: ++rejections_[no_worker]; return;
    case Errc::draining: ++rejections_[draining]; return;
    case Errc::malformed_request:
    case Errc::unsupported_coding:
    case Errc::unsupported_version:
    case Errc::unsupported_method:
    case Errc::expectation_failed:
    case Errc::head_too_large:
    case Errc::target_too_long:
    case Errc::body_too_large:
    case Errc::body_unreadable:
    case Errc::environment_too_large: ++rejections_[malformed]; return;
    case Errc::exec_timeout: ++timeouts_[exec]; return;
    case Errc::deadline_passed: ++timeouts_[deadline]; return;
    case Errc::request_timeout: ++timeouts_[read]; return;
    case Errc::write_timeout: ++timeouts_[write]; return;
    case Errc::client_gone:
    case Errc::spawn_failed:
    case Errc::worker_died:
    case Errc::worker_protocol:
    case Errc::internal_error:
    case Errc::invalid_value: return;  // other families tell of these, or the log
  }
}

void ErrorMetrics::append_to(std::string& out) const {
  append_family(out, "fwatchdog_rejections_total", "counter", "Requests that were turned away.");
  for (std::size_t i = 0; i < kReasons; ++i)
    append_sample(out, "fwatchdog_rejections_total{reason=\"" + std::string(kReasonNames[i]) + "\"}",
                  static_cast<double>(rejections_[i]));
  append_family(out, "fwatchdog_timeouts_total", "counter", "Requests that took too long.");
  for (std::size_t i = 0; i < kPhases; ++i)
    append_sample(out, "fwatchdog_timeouts_total{phase=\"" + std::string(kPhaseNames[i]) + "\"}",
                  static_cast<double>(timeouts_[i]));
}

}  // namespace fwd
