#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

/// How much a chunked body may carry besides its data.
struct ChunkedLimits {
  std::size_t line_bytes = 4 * 1024;     // one chunk-size line with its extensions; reference/reliability.md 3.2
  std::size_t trailer_bytes = 8 * 1024;  // all trailers
  std::size_t excess_bytes = 16 * 1024;  // framing over data, counted as Go does since CVE-2023-39326
};

/// Takes the chunked coding off a body. Sans-I/O: bytes in, pieces of data out; how the input is cut does not matter.
/// Extensions and trailers are checked and dropped: nothing in a trailer ever acts on framing or connection.
class ChunkedDecoder {
 public:
  enum class Leniency {
    strict,   // for clients: RFC 9112 to the letter
    bare_lf,  // for functions: lines may end in LF alone, and blanks may follow the size
  };

  explicit ChunkedDecoder(Leniency leniency = Leniency::strict, ChunkedLimits limits = {});

  /// Ready for the next body.
  void reset();

  /// Takes what it can off the front of `input` and returns the next piece of data, a view into `input`; empty when it
  /// needs more input or is done(). What follows the end of the body stays in `input`.
  /// Errors: malformed_request, and again at every later call.
  /// Source: RFC 9112 section 7.1; CVE-2025-22871, CVE-2023-38697, CVE-2025-46728, CVE-2026-45352.
  Result<std::string_view> next(std::string_view& input);

  bool done() const { return state_ == State::done; }

 private:
  enum class State : unsigned char {
    size_first,
    size,
    size_blank,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_first,
    trailer_name,
    trailer_value,
    trailer_lf,
    last_lf,
    done,
    failed,
  };

  State step(char c);
  State step_size(char c);
  State step_trailer(char c);
  State end_size_line();
  State after_size(char c);

  Leniency leniency_;
  ChunkedLimits limits_;
  State state_ = State::size_first;
  int digits_ = 0;
  std::uint64_t remaining_ = 0;    // of the chunk's data; its size while the size is read
  std::uint64_t line_length_ = 0;  // of the size line so far, then of the trailers
  std::uint64_t excess_ = 0;
};

/// Appends the line that starts a chunk of `size` bytes. A chunk of 0 would end the body: do not ask for it.
void append_chunk_head(std::string& out, std::size_t size);

/// Follows the data of each chunk.
inline constexpr std::string_view kChunkTail = "\r\n";

/// Ends a chunked body, no trailers.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace fwd
