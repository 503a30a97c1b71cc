#pragma once

#include <string_view>

#include "watchdog/base/log.hpp"

namespace fwd {

/// How a function's own lines are logged.
struct FunctionLogOptions {
  bool prefix = true;                  // with the time and the stream's name; false: as the function wrote them
  std::size_t line_bytes = 64 * 1024;  // longer lines are logged in pieces
};

/// Logs what a function says besides its answers.
class FunctionLog {
 public:
  FunctionLog(Log& log, FunctionLogOptions options) : log_(log), options_(options) {}
  virtual ~FunctionLog() = default;

  /// `call_id`: of the request that the line belongs to, where that is known.
  virtual void line(FunctionStream stream, std::string_view text, std::string_view call_id = {}) {
    if (options_.prefix) {
      log_.relay(stream, text, call_id);
    } else {
      log_.relay_bare(stream, text);
    }
  }
  std::size_t line_bytes() const { return options_.line_bytes; }
  /// Whether the id of a call is logged at all.
  bool wants_call_ids() const { return options_.prefix && log_.format() != LogFormat::text; }

 private:
  Log& log_;
  FunctionLogOptions options_;
};

}  // namespace fwd
