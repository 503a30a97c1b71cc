#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/failure.hpp"

namespace fwd::bench {

/// Finds the true end of one HTTP/1 answer after the other, strictly; does no I/O and copies nothing but a head that
/// comes in pieces. Shape:  begin(), then take() whatever was received, skip() what was discarded unseen, until done()
/// or failure().
///         One reader serves all answers of a connection.
/// Errors: not_http, malformed, bad_chunk, head_too_large by themselves; empty, truncated from end_of_stream().
/// Source: RFC 9112 sections 2.2 (a head whose first line ends in a bare LF ends in one), 6.3, 7.1; RFC 9110
/// section 15.2.
class AnswerReader {
 public:
  /// Starts on the next answer. The answer to a HEAD request has no body.
  void begin(bool to_head_request);

  /// Reads bytes that have arrived. Returns how many of them belong to this answer: fewer than all only at its end or
  /// after a failure.
  std::size_t take(std::string_view bytes);

  /// Body bytes due next that need no look and may be dropped in the kernel; 0 when the next bytes must be seen.
  std::uint64_t blind_bytes() const;
  /// Counts `count` of them as received and dropped.
  void skip(std::uint64_t count);

  /// The peer has closed. Returns none if that is a proper end, in which case done() is true from now on.
  Failure end_of_stream();

  bool done() const { return state_ == State::done; }
  Failure failure() const { return failure_; }
  /// Has anything of this answer arrived?
  bool started() const { return started_; }
  int status() const { return status_; }
  /// May the connection take another request? Meaningful once done().
  bool keeps_connection() const { return keeps_connection_; }
  /// Bytes of the body so far, without the framing of chunks.
  std::uint64_t body_bytes() const { return body_bytes_; }
  /// The first Server field that this connection has ever seen.
  const std::string& server() const { return server_; }

 private:
  enum class State : std::uint8_t {
    head,
    fixed_body,
    chunk_size,
    chunk_extension,
    chunk_size_end,
    chunk_data,
    chunk_cr,
    chunk_lf,
    trailer,
    trailer_line,
    trailer_end,
    until_close,
    done
  };
  struct Framing;

  void fail(Failure kind);
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  void take_chunk_byte(char c);
  bool read_head(std::string_view head);
  bool read_status_line(std::string_view line, Framing& framing);
  bool read_field(std::string_view line, Framing& framing);
  bool settle(const Framing& framing);
  void expect_body(std::uint64_t length);

  State state_ = State::done;
  Failure failure_ = Failure::none;
  bool to_head_request_ = false;
  bool started_ = false;
  bool keeps_connection_ = false;
  int status_ = 0;
  unsigned digits_ = 0;     // of the chunk size, or bytes of extensions and trailer: bounds what is read without end
  std::uint64_t left_ = 0;  // of the body or the chunk
  std::uint64_t body_bytes_ = 0;
  std::string partial_head_;
  std::string server_;
};

}  // namespace fwd::bench
