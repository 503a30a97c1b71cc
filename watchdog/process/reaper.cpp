#include "watchdog/process/reaper.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

namespace fwd {

Reaper::Reaper(const Executor& executor) : child_ended_(executor, SIGCHLD) {
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);  // an old kernel without it leaves orphans to the real PID 1
  listen();
}

void Reaper::listen() {
  child_ended_.async_wait([this](const Error& error, int) {
    if (error) return;
    reap();
    listen();
  });
}

void Reaper::reap() {
  for (;;) {
    siginfo_t ended{};  // signals coalesce, so ask until nobody is left; look first, to know whose it is
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
    const pid_t pid = ended.si_pid;
    auto watched = watched_.extract(pid);
    if (watched) (void)::kill(-pid, SIGKILL);  // ESRCH: nobody is left in its group
    int status = 0;
    (void)::waitpid(pid, &status, 0);  // it has ended, so this returns at once
    if (watched) watched.mapped()(ExitStatus(status));
  }
}

}  // namespace fwd
