#pragma once

#include <string_view>

#include "watchdog/base/descriptor.hpp"
#include "watchdog/base/event.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/base/spool.hpp"

namespace fwd {

/// Writes one request into a function's stdin, in the pieces that old functions can take.
///
/// Up to 64 KiB, head and body are one write. A longer request is written but for its last 32 KiB; these follow in one
/// write when the function has read all before, or has begun to answer. Functions that mistake a short last read for
/// the end of the body (old Node templates) then never see one.
/// Source: reference/afterburn.md 3.3, the recipe; modes/README.md, afterburn.
/// Lifetime: the arguments outlive the writer; while running() the writer must not be destroyed.
class PipeWriter {
 public:
  /// `first` is scratch space.
  PipeWriter(Descriptor& pipe, OverdueWatch& watch, const std::string& head, Spool& body, std::string& first)
      : pipe_(pipe), watch_(watch), head_(head), body_(body), first_(first) {}

  /// Writes what can be written without waiting; the rest is written on its own.
  /// Errors: worker_died if not a byte could be written.
  Error begin();

  bool running() const { return running_; }
  bool complete() const { return complete_; }

  /// Whether a request goes out in one piece.
  static bool is_one_write(std::size_t head_bytes, std::uint64_t body_bytes) {
    return head_bytes + body_bytes <= kOneWriteBytes;
  }

  /// Bytes of the whole request.
  std::uint64_t size() const { return head_.size() + body_.size(); }

  /// The function has begun to answer: no reason to hold the last piece back any longer.
  void answer_begun();

  /// Waits until it runs no more.
  Task<void> joined();

  /// Closes the pipe, which ends it early, and waits. Afterwards it touches the pipe no more.
  Task<void> stopped();

  /// Bytes of the request that the function has not read; 0 if that cannot be told.
  std::size_t unread() const;

 private:
  static constexpr std::size_t kOneWriteBytes = 64 * 1024;  // what one read of an old function takes, and a pipe holds

  Task<void> run();
  Task<Error> write_all(std::string_view bytes);
  Task<Error> write_rest();
  Error fill_first();
  std::uint64_t last_piece() const;
  Task<void> drained();

  Descriptor& pipe_;
  OverdueWatch& watch_;
  const std::string& head_;
  Spool& body_;
  std::string& first_;        // head and body, or as much of it as goes with the head
  std::size_t written_ = 0;   // of first_
  std::uint64_t in_first_ = 0;  // bytes of the body that are in first_
  bool running_ = false;
  bool complete_ = false;
  bool answer_begun_ = false;
  Event drained_;
  Event ended_;
};

}  // namespace fwd
