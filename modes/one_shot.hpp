#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "modes/children.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/http/cgi_environment.hpp"
#include "watchdog/mode.hpp"

namespace fwd {

/// What the modes have in common that start one process for each request.
struct OneShotOptions {
  ChildrenOptions children;
  std::string content_type;        // of every answer, unless a CGI header block names another; empty: see the mode
  bool duration_header = false;    // X-Duration-Seconds; not in streaming, whose head goes out before the end is known
  bool cgi_headers = true;         // variables for the request
  CgiFlavour cgi_flavour = CgiFlavour::of_watchdog;
  bool cgi_response = false;       // the output may begin with a CGI header block
  bool cancel_on_disconnect = true;  // the process is killed when its client leaves
  SpoolOptions spool;              // of bodies and outputs that are collected
};

/// A mode that starts one process for each request. Lifetime of the arguments: longer than the mode's.
class OneShot : public Mode {
 public:
  OneShot(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, OneShotOptions options);
  ~OneShot() override;

  /// Errors: ENOENT, EACCES and others: the program cannot be executed.
  Error start() override { return children_.start(); }
  std::string start_error() const override;
  Task<void> stop(Deadline by) override { co_await children_.stop(by); }
  void kill() override { children_.kill(); }
  /// No process needs to be up: one is started when it is needed.
  std::optional<Clock::time_point> down_since() const override { return std::nullopt; }
  seconds retry_after() const override { return children_.retry_after(); }
  FunctionStats stats() const override { return children_.stats(); }

 protected:
  const OneShotOptions& options() const { return options_; }
  Children& children() { return children_; }
  Log& log() { return log_; }
  OverdueWatch& watch() { return watch_; }

 private:
  OverdueWatch& watch_;
  Log& log_;
  OneShotOptions options_;
  Children children_;
};

}  // namespace fwd
