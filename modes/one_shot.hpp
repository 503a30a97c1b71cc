#pragma once

#include <optional>
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
  Error start() override;
  std::string start_error() const override { return start_error_; }
  Task<void> stop(Deadline by) override { co_await children_.stop(by); }
  void kill() override { children_.kill(); }
  /// No process needs to be up: one is started when it is needed.
  std::optional<Clock::time_point> down_since() const override { return std::nullopt; }
  seconds retry_after() const override { return children_.retry_after(); }
  FunctionStats stats() const override { return children_.stats(); }

 protected:
  const OneShotOptions& options() const { return options_; }
  OverdueWatch& watch() { return watch_; }
  Log& log() { return log_; }

  /// Waits for the request's turn, and starts its process. `body_length`: of what the process will read, if known.
  /// Errors: as Children::acquire().
  Task<Result<Children::Lease>> acquire(Exchange& exchange, std::optional<std::uint64_t> body_length);

  /// What becomes of a request whose process could not be started: answered 500 with the reason as Go words it, and
  /// `text_end`, if the program is the reason; else the error is returned as it is.
  Task<Error> cannot_start(Exchange& exchange, Error error, std::string_view text_end);

  /// Reads the whole body.
  /// Errors: those of BodySource and Spool.
  static Task<Error> read_body(Exchange& exchange, Spool& body);

  /// Reads the whole output and waits for the end of the process.
  /// Errors: of Child::failure(), and those of Spool.
  static Task<Error> collect(Exchange& exchange, Child& child, Spool& output);

  /// Answers with `text` and the fields that every error of ours has; `duration` as in answer_output().
  static Task<Error> answer_failure(Exchange& exchange, int status, std::string_view text,
                                    std::string_view duration);

  /// Answers with a whole output. `duration` goes into X-Duration-Seconds unless it is empty.
  Task<Error> answer_output(Exchange& exchange, Spool& output, std::string_view content_type, std::string duration);

  /// Sends `output` from `offset` to its end, and ends the answer.
  static Task<Error> send(BodySink& sink, Spool& output, std::uint64_t offset);

  /// The time since the process was handed the request, as `%f` seconds.
  static std::string duration_text(Exchange& exchange);

  /// argv in one line.
  std::string command_text() const;

 private:
  std::string spawn_error_text(const Error& error) const;

  OverdueWatch& watch_;
  Log& log_;
  OneShotOptions options_;
  Children children_;
  std::string start_error_;
};

}  // namespace fwd
