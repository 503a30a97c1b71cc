#include "watchdog/process/server_process.hpp"

#include <csignal>

namespace fwd {
ServerProcess::ServerProcess(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, Calls calls)
    : watch_(watch), reaper_(reaper), log_(log), function_log_(function_log), calls_(std::move(calls)) {
  auto again = [this] {
    const Error error = start();
    if (!error) return;
    const nanoseconds next = policy_.delay_after_death(false);
    log_.say("The function could not be started: " + error.message() + "; trying again in " + to_go_string(next));
    start_again(next);
  };
  restart_ = make_overdue_call(std::move(again));
}

Error ServerProcess::start() {
  const auto command = calls_.command();
  if (!command) return command.error();
  const auto before = Clock::now();
  auto process = FunctionProcess::start(watch_.executor(), reaper_, function_log_, *command, OutputIs::log);
  if (!process) {
    ++counts_.start_failures;
    return process.error();
  }
  counts_.spawn.add(Clock::now() - before);
  ++counts_.started;
  proved_ = false;
  process_ = std::move(*process);
  process_->on_exit([this](ExitStatus status) { ended(status); });
  calls_.started();
  return {};
}

/// Called by the process itself, which therefore must not be destroyed here.
void ServerProcess::ended(ExitStatus status) {
  gone_.wake(watch_.executor());
  if (!ending_) {
    ++counts_.died;
    log_.say("Forked function has terminated: " + status.text());
  }
  const bool again = calls_.ended(status);
  if (again && !ending_) start_again(policy_.delay_after_death(proved_));
}

/// Never at once: at the top of the event loop, at the earliest.
void ServerProcess::start_again(nanoseconds delay) { watch_.watch(*restart_, Clock::now() + delay); }

void ServerProcess::ask_to_end() {
  ending_ = true;
  watch_.forget(*restart_);
  if (!running()) return;
  process_->signal(SIGTERM);
  process_->close_input();
}

void ServerProcess::kill() {
  if (running()) process_->signal(SIGKILL);
}

Task<void> ServerProcess::gone() {
  while (running()) co_await gone_.wait();
}

}  // namespace fwd
