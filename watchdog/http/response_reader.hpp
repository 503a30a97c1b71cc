#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "watchdog/base/error.hpp"
#include "watchdog/http/chunked_decoder.hpp"
#include "watchdog/http/length_units.hpp"
#include "watchdog/http/response_head.hpp"

namespace fwd {

/// Reads one answer from a stream of bytes. Sans-I/O and lenient: for what functions emit on a pipe that stays open,
/// and, with other options, for an HTTP client.
///
/// The caller owns the buffer. After need_more it keeps what is left in `input`, appends what it reads behind it, and
/// calls again with the whole; that is never more than the larger of the two limits. How the bytes are cut does not
/// change what is reported, only how stray text and bodies are cut into pieces.
class ResponseReader {
 public:
  enum class Part {
    need_more,  // read more, or tell at_eof()
    stray,      // `bytes` stand before the status line: a line of it, or a piece of one
    interim,    // a 1xx answer, in head() until the next call
    head,       // head() is the answer's
    body,       // `bytes` are a piece of the body
    end,        // the answer is complete; what is left in `input` does not belong to it
  };

  struct Options {
    bool bodiless_request = false;       // the request was a real HEAD: no body, whatever the head says
    bool stray_allowed = false;          // text before the status line is Part::stray; else worker_protocol
    bool until_eof_allowed = false;      // no length means a body up to eof (HTTP/1.0, fbench); else worker_protocol
    bool announced_body_always = false;  // 204 and 304 too have the body that they announce, as functions send it
    bool switching_allowed = false;      // 101 is a head after which the stream is the caller's; else worker_protocol
    ChunkedDecoder::Leniency chunk_lines = ChunkedDecoder::Leniency::strict;
    LengthUnit unit = LengthUnit::bytes;  // what Content-Length counts
    std::size_t head_limit = 64 * 1024;   // one head: twice what a request may have
    std::size_t stray_limit = 64 * 1024;  // a stray line without end is reported in pieces of this size
  };

  /// What functions need: stray text, bodies with 204 and 304; `unit` as their runtime counts.
  static Options for_function(LengthUnit unit);

  struct Step {
    Part part;
    std::string_view bytes;
  };

  ResponseReader() { start({}); }

  /// Ready for an answer. Keeps its buffers.
  void start(const Options& options);

  /// Takes from the front of `input` and reports one part. `bytes` are a view into `input`.
  /// Errors: worker_protocol, and again at every later call.
  /// Source: RFC 9112 section 6.3; reference/afterburn.md 3.3 and 3.4 rows 9 to 13.
  Result<Step> next(std::string_view& input);

  /// Of the last interim or final head; valid until the next head.
  const ResponseHead& head() const { return head_; }
  /// True once the last byte of the answer was taken, even if Part::end is not reported yet.
  bool ended() const { return state_ == State::end || state_ == State::ended; }
  /// What is still to come by Content-Length, in `unit`; nothing before the head or without a length.
  std::optional<std::uint64_t> body_remaining() const;

  /// True if the length in units is reached unless the sequence that is held back in `input` goes on: a body whose last
  /// characters are lone bytes looks like this. Call settle_body() when nothing more comes for a while.
  bool may_end_here() const { return may_end_here_; }
  /// Counts the bytes of a sequence held back in `input` one by one from now on; then call next() again.
  void settle_body() { settled_ = true; }

  /// The stream has ended: success if the answer is complete or ends legitimately by eof (it is then ended()). If
  /// may_end_here(), settle the body and take the rest first.
  /// Errors: worker_died if it is cut.
  Error at_eof();

 private:
  enum class State : unsigned char { seek, head, sized, counted, chunked, until_eof, end, ended, failed };

  Result<Step> fail();
  Result<Step> seek(std::string_view& input);
  Result<Step> seek_in_line(std::string_view line, std::string_view& input);
  Result<Step> long_stray(std::string_view& input);
  Result<Step> stray(std::string_view& input, std::size_t size);
  Result<Step> read_head(std::string_view& input);
  Result<Step> take_head(std::string_view& input, std::size_t size);
  State body_state();
  Result<Step> take_body(std::string_view& input, std::size_t size);
  Result<Step> read_sized(std::string_view& input);
  Result<Step> read_counted(std::string_view& input);
  Result<Step> read_chunked(std::string_view& input);

  Options options_;
  ResponseHead head_;
  ChunkedDecoder chunks_;
  UnitCounter counter_{LengthUnit::bytes};
  std::uint64_t remaining_ = 0;
  std::size_t searched_ = 0;  // bytes at the front of the input that were looked at already
  State state_ = State::seek;
  bool mid_line_ = false;  // the last stray piece did not end its line
  bool may_end_here_ = false;
  bool settled_ = false;
};

}  // namespace fwd
