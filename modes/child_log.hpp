#pragma once

#include <string>
#include <string_view>

#include "watchdog/process/function_log.hpp"

namespace fwd {

/// What one process says besides its answer: logged line by line with the id of its request, or kept for the end.
class ChildLog final : public FunctionLog {
 public:
  ChildLog(Log& log, const FunctionLogOptions& options) : FunctionLog(log, options) {}

  void call_id(std::string_view id) { call_id_ = id; }

  /// Lines are kept, up to `bytes` in all; the rest is not.
  void keep(std::size_t bytes) { room_ = bytes; }
  const std::string& kept() const { return kept_; }

  void line(FunctionStream stream, std::string_view text, std::string_view) override {
    if (room_ == 0) return FunctionLog::line(stream, text, call_id_);
    if (kept_.size() >= room_) return;
    kept_.append(text.substr(0, room_ - kept_.size()));
    kept_ += '\n';
    if (kept_.size() >= room_) kept_.append("...\n");
  }

 private:
  std::string call_id_;
  std::string kept_;
  std::size_t room_ = 0;
};

}  // namespace fwd
