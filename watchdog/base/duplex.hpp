#pragma once

#include <string_view>

#include "watchdog/base/error.hpp"
#include "watchdog/base/task.hpp"

namespace fwd {

/// A stream of bytes in both directions: a connection that is no HTTP any more, for instance. One reader and one writer
/// at a time; the two may wait at the same time.
class Duplex {
 public:
  virtual ~Duplex() = default;

  /// The next bytes, as they come; empty at the end. Valid until the next read.
  virtual Task<Result<std::string_view>> read() = 0;

  /// Sends all of `bytes`.
  virtual Task<Error> write(std::string_view bytes) = 0;

  /// Tells the other side that no more will be written; reading goes on.
  virtual void end_writing() = 0;

  /// Ends every read and write that waits.
  virtual void close() = 0;
};

}  // namespace fwd
