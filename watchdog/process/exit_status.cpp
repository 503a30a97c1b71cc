#include "watchdog/process/exit_status.hpp"

#include <sys/wait.h>

#include <cctype>
#include <cstring>

namespace fwd {

std::string ExitStatus::text() const {
  if (WIFEXITED(wait_status_)) return "exit status " + std::to_string(WEXITSTATUS(wait_status_));
  const char* name = sigdescr_np(WTERMSIG(wait_status_));
  std::string text = name != nullptr ? name : std::to_string(WTERMSIG(wait_status_));
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return "signal: " + text;
}

int ExitStatus::code() const {
  constexpr int kSignalled = 128;
  return WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : kSignalled + WTERMSIG(wait_status_);
}

}  // namespace fwd
