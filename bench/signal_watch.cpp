#include "bench/signal_watch.hpp"

#include <cerrno>
#include <sys/signalfd.h>
#include <unistd.h>

namespace fwd::bench {

Result<SignalWatch> SignalWatch::open() {
  sigset_t watched;
  sigset_t before;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &watched, &before);
  UniqueFd fd(::signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return system_error(error);
  }
  return SignalWatch(std::move(fd), before);
}

SignalWatch::~SignalWatch() {
  if (fd_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::drain() {
  signalfd_siginfo info;
  while (::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
  }
}

}  // namespace fwd::bench
