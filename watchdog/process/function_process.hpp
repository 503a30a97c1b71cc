#pragma once

#include <memory>
#include <optional>
#include <string>

#include "watchdog/base/descriptor.hpp"
#include "watchdog/process/function_log.hpp"
#include "watchdog/process/line_pump.hpp"
#include "watchdog/process/reaper.hpp"
#include "watchdog/process/spawn.hpp"

namespace fwd {

/// What a function's stdout is.
enum class OutputIs { answers, log };

/// A function's process: bytes in, answers out, the rest to the log.
/// Lifetime: the destructor kills the process group; `reaper` and `log` outlive it.
class FunctionProcess {
 public:
  /// With a response channel, or OutputIs::log, stdout is a log like stderr; with the latter answers() never has any.
  /// Errors: as spawn().
  static Result<std::unique_ptr<FunctionProcess>> start(const Executor& executor, Reaper& reaper, FunctionLog& log,
                                                        const SpawnRequest& request,
                                                        OutputIs output = OutputIs::answers);
  ~FunctionProcess();
  FunctionProcess(const FunctionProcess&) = delete;
  FunctionProcess& operator=(const FunctionProcess&) = delete;

  pid_t pid() const { return pid_; }
  Descriptor& input() { return input_; }
  ReadAhead<Descriptor>& answers() { return answers_; }
  FunctionLog& log() { return log_; }

  /// Whose request it works on, for what it says meanwhile; empty: nobody's, or not known.
  void call_id(std::string_view id) { call_id_ = id; }
  std::string_view call_id() const { return call_id_; }

  /// Called once, when the process has been reaped.
  void on_exit(std::function<void(ExitStatus)> call) { on_exit_ = std::move(call); }
  bool exited() const { return exited_; }

  /// Its output goes on, or has ended, and the event loop has not come to tell so. A wait for its last words that has
  /// lasted long enough has not if the loop itself was late: on a busy machine that would lose an answer.
  bool has_untold_output() const;

  /// It has ended, and the event loop has not come to tell so.
  bool has_untold_end() const;

  /// Signals the whole process group; nothing once it has been reaped, for the number may be somebody else's then.
  void signal(int number);

  void close_input();

  /// Makes the pipes hold more: for bodies of many pieces.
  void widen_pipes();

  /// No byte of it counts any more: kills the group and ends every pending read and write.
  void abandon();

 private:
  FunctionProcess(const Executor& executor, Reaper& reaper, FunctionLog& log, SpawnedChild child);
  void pump(std::optional<LinePump>& into, UniqueFd from, FunctionStream stream);

  Reaper& reaper_;
  FunctionLog& log_;
  std::string call_id_;
  pid_t pid_;
  bool exited_ = false;
  std::function<void(ExitStatus)> on_exit_;
  Descriptor input_;
  Descriptor answer_stream_;
  ReadAhead<Descriptor> answers_;
  std::optional<LinePump> errors_;
  std::optional<LinePump> output_;  // stdout, where it is a log
};

}  // namespace fwd
