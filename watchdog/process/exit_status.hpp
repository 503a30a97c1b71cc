#pragma once

#include <string>

namespace fwd {

/// How a process ended, as waitpid(2) tells it.
class ExitStatus {
 public:
  explicit ExitStatus(int wait_status) : wait_status_(wait_status) {}

  /// `exit status 3`, `signal: killed`, as Go says it.
  std::string text() const;

  /// As a shell has it: the exit code, or 128 + n for signal n.
  int code() const;

 private:
  int wait_status_;
};

}  // namespace fwd
