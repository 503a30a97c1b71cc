#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "watchdog/base/error.hpp"
#include "watchdog/base/task.hpp"

namespace fwd {

/// The body of a message that is being received.
class BodySource {
 public:
  virtual ~BodySource() = default;

  /// In bytes, if it is known before the body has been read.
  virtual std::optional<std::uint64_t> length() const = 0;

  /// The next piece; empty at the end. Valid until the next call.
  /// Errors: client_gone, malformed_request (chunks), body_too_large, request_timeout.
  virtual Task<Result<std::string_view>> next() = 0;

  /// Nobody wants the rest: a next() that waits ends at once, with some error.
  virtual void abandon() {}
};

/// The body of an answer that is being sent. If finish() is not called, the client sees a cut answer, never a clean
/// end.
class BodySink {
 public:
  virtual ~BodySink() = default;

  /// Waits until the client has taken what does not fit into its socket: that is the back-pressure.
  /// Errors: client_gone, write_timeout.
  virtual Task<Error> write(std::string_view piece) = 0;

  /// Sends the head, if it has not gone out with a piece yet: for an answer whose first piece takes its time.
  /// Errors: as write().
  virtual Task<Error> flush() { co_return Error{}; }

  /// The same with `count` bytes of a regular file from `offset`, which the kernel copies by itself.
  /// Errors: also the file's own, and worker_protocol if the file ends early.
  virtual Task<Error> write_file(int fd, std::uint64_t offset, std::uint64_t count) = 0;

  /// Sends the last piece, which may be empty, and ends the answer.
  virtual Task<Error> finish(std::string_view last) = 0;
};

}  // namespace fwd
