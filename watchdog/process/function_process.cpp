#include "watchdog/process/function_process.hpp"

#include <fcntl.h>

#include <sys/poll.h>
#include <sys/wait.h>

#include <csignal>

namespace fwd {
namespace {
constexpr std::size_t kFirstAnswerBytes = 16 * 1024;
constexpr int kWidePipeBytes = 1024 * 1024;           // /proc/sys/fs/pipe-max-size; refused beyond a user's share
constexpr std::size_t kMostAnswerBytes = 256 * 1024;  // then the function waits for the client: back-pressure
}  // namespace

Result<std::unique_ptr<FunctionProcess>> FunctionProcess::start(const Executor& executor, Reaper& reaper,
                                                                FunctionLog& log, const SpawnRequest& request,
                                                                OutputIs output) {
  auto child = spawn(request);
  if (!child) return child.error();
  if (!request.response_channel && output == OutputIs::answers) child->response = std::move(child->output);
  return std::unique_ptr<FunctionProcess>(new FunctionProcess(executor, reaper, log, std::move(*child)));
}

FunctionProcess::FunctionProcess(const Executor& executor, Reaper& reaper, FunctionLog& log, SpawnedChild child)
    : reaper_(reaper),
      log_(log),
      pid_(child.pid),
      input_(make_descriptor(executor, std::move(child.input))),
      answer_stream_(make_descriptor(executor, std::move(child.response))),
      answers_(answer_stream_, kFirstAnswerBytes, kMostAnswerBytes) {
  pump(errors_, std::move(child.error), FunctionStream::standard_error);
  pump(output_, std::move(child.output), FunctionStream::standard_output);
  reaper_.watch(pid_, [this](ExitStatus status) {
    exited_ = true;
    if (errors_) errors_->finish();
    if (output_) output_->finish();
    if (on_exit_) on_exit_(status);
  });
}

void FunctionProcess::pump(std::optional<LinePump>& into, UniqueFd from, FunctionStream stream) {
  if (!from) return;
  into.emplace(input_.get_executor(), std::move(from), log_.line_bytes(),
               [this, stream](std::string_view line) { log_.line(stream, line, call_id_); });
}

FunctionProcess::~FunctionProcess() {
  signal(SIGKILL);
  if (!exited_) reaper_.forget(pid_);  // afterwards the number may be somebody else's
}

bool FunctionProcess::has_untold_output() const {
  pollfd output{const_cast<Descriptor&>(answer_stream_).native_handle(), POLLIN, 0};
  return answer_stream_.is_open() && ::poll(&output, 1, 0) == 1;
}

bool FunctionProcess::has_untold_end() const {
  siginfo_t ended{};
  const int asked = exited_ ? -1 : ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return asked == 0 && ended.si_pid == pid_;
}

void FunctionProcess::signal(int number) {
  if (!exited_) (void)::kill(-pid_, number);  // ESRCH: it has ended, and its exit is about to be told
}

void FunctionProcess::close_input() {
  Error ignored;  // nothing can be done about a failed close
  input_.close(ignored);
}

void FunctionProcess::widen_pipes() {
  (void)::fcntl(input_.native_handle(), F_SETPIPE_SZ, kWidePipeBytes);  // slower without, but right
  (void)::fcntl(answer_stream_.native_handle(), F_SETPIPE_SZ, kWidePipeBytes);
}

void FunctionProcess::abandon() {
  signal(SIGKILL);
  close_input();
  Error ignored;
  answer_stream_.close(ignored);
}

}  // namespace fwd
