#include "watchdog/process/function_process.hpp"

#include <csignal>

namespace fwd {
namespace {
constexpr std::size_t kFirstAnswerBytes = 16 * 1024;
constexpr std::size_t kMostAnswerBytes = 256 * 1024;  // then the function waits for the client: back-pressure
}  // namespace

Result<std::unique_ptr<FunctionProcess>> FunctionProcess::start(const Executor& executor, Reaper& reaper,
                                                                FunctionLog& log, const SpawnRequest& request) {
  auto child = spawn(request);
  if (!child) return child.error();
  return std::unique_ptr<FunctionProcess>(new FunctionProcess(executor, reaper, log, std::move(*child)));
}

FunctionProcess::FunctionProcess(const Executor& executor, Reaper& reaper, FunctionLog& log, SpawnedChild child)
    : reaper_(reaper),
      log_(log),
      pid_(child.pid),
      input_(make_descriptor(executor, std::move(child.input))),
      answer_stream_(make_descriptor(executor, std::move(child.response ? child.response : child.output))),
      answers_(answer_stream_, kFirstAnswerBytes, kMostAnswerBytes),
      errors_(executor, std::move(child.error), log.line_bytes(),
              [&log](std::string_view line) { log.line(FunctionStream::standard_error, line); }) {
  if (child.output) {
    output_.emplace(executor, std::move(child.output), log.line_bytes(),
                    [&log](std::string_view line) { log.line(FunctionStream::standard_output, line); });
  }
  reaper_.watch(pid_, [this](ExitStatus status) {
    exited_ = true;
    errors_.finish();
    if (output_) output_->finish();
    if (on_exit_) on_exit_(status);
  });
}

FunctionProcess::~FunctionProcess() {
  signal(SIGKILL);
  if (!exited_) reaper_.forget(pid_);  // afterwards the number may be somebody else's
}

void FunctionProcess::signal(int number) {
  if (!exited_) (void)::kill(-pid_, number);  // ESRCH: it has ended, and its exit is about to be told
}

void FunctionProcess::close_input() {
  Error ignored;  // nothing can be done about a failed close
  input_.close(ignored);
}

void FunctionProcess::abandon() {
  signal(SIGKILL);
  close_input();
  Error ignored;
  answer_stream_.close(ignored);
}

}  // namespace fwd
