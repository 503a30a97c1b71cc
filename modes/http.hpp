#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modes/http_call_options.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/process/function_log.hpp"
#include "watchdog/process/reaper.hpp"
#include "watchdog/process/spawn.hpp"

namespace fwd {

struct HttpOptions {
  /// The function. In its words, `{port}` and `{socket}` stand for its own port or socket path, new for each process;
  /// `PORT` in its environment becomes the port, and goes where it has none.
  SpawnRequest command;
  std::string upstream_url;                // see parse_upstream_url(); may hold `{port}` or `{socket}`
  std::size_t workers = 1;                 // processes; above 1 the URL needs one of these
  std::size_t max_queue = 1024;            // requests that wait for a process that accepts connections
  nanoseconds max_queue_wait = seconds(10);  // zero or less: no limit
  HttpCallOptions call;
  SpoolOptions spool;                      // of bodies that are read before they are forwarded
  std::string socket_directory = "/tmp";   // where a private folder for `{socket}` is made, and removed at the end
  std::function<void(int)> on_exit;        // a process has ended with this code, 128 + n for signal n: called instead of
                                           // starting it again; empty: it is started again
};

/// What is wrong with the upstream's URL, in words for whoever set it; empty if nothing is.
std::string check_http_options(const HttpOptions& options);

/// Functions that are HTTP servers: forked at the start, kept up, and asked over connections that are kept too.
/// modes/README.md is their contract.
class Http final : public Mode {
 public:
  /// `options` have passed check_http_options(). The references outlive this.
  Http(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, HttpOptions options);
  ~Http() override;

  Error start() override;
  Task<void> callable(Deadline by) override;
  Task<Error> serve(Exchange& exchange) override;
  Task<void> stop(Deadline by) override;
  void kill() override;
  std::optional<Clock::time_point> down_since() const override;
  seconds retry_after() const override;
  FunctionStats stats() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fwd
