#pragma once

#include <csignal>

#include "watchdog/base/error.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd::bench {

/// SIGINT and SIGTERM as something to read, from its making to its end; after that they kill again.
/// A descriptor in the event loop, unlike a handler, cannot be missed while events come without a pause.
class SignalWatch {
 public:
  static Result<SignalWatch> open();
  SignalWatch(SignalWatch&&) = default;
  SignalWatch& operator=(SignalWatch&&) = delete;
  ~SignalWatch();

  int fd() const { return fd_.get(); }
  /// Takes the signals that have come, so that they do not kill once the watch ends.
  void drain();

 private:
  explicit SignalWatch(UniqueFd fd, const sigset_t& before) : fd_(std::move(fd)), before_(before) {}
  UniqueFd fd_;
  sigset_t before_;
};

}  // namespace fwd::bench
