#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/watchdog_process.hpp"

namespace fwd::test {

/// A fifo, for a function that waits with `read x < NAME`.
class Fifo {
 public:
  explicit Fifo(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }
  const std::string& path() const { return path_; }
  /// Lets the one who waits go on; waits itself until somebody does.
  void open() const {
    int descriptor = -1;
    EXPECT_TRUE(wait_until([&descriptor, this] {
      descriptor = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      return descriptor >= 0;
    }));
    ::close(descriptor);
  }

 private:
  std::string path_;
};

}  // namespace fwd::test
