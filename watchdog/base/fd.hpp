#pragma once

#include <unistd.h>

#include <utility>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Owns one file descriptor; closes it at the end. -1 means none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) (void)::close(fd_);  // nothing can be done about a failed close
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// Both ends of a pipe; close-on-exec, blocking until set otherwise.
struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

/// Errors: EMFILE, ENFILE.
Result<Pipe> make_pipe();

}  // namespace fwd
