#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/error.hpp"
#include "watchdog/http/field.hpp"

namespace fwd {

/// Reads the header block with which a CGI program's output may begin. Sans-I/O; how the output is cut does not matter.
/// One object for one output. Neither copied nor moved.
///
/// A block is one or more lines `Name: value` that end in LF or CRLF, and an empty line. Output whose first line is
/// none of these, or that ends before the empty line, has no block: then all of it is body. Mostly this is known at
/// once, at the first byte that no name can hold. A Location without a Status is a redirect of the client, be it a mere
/// path: RFC 3875 would have the server ask itself for that.
///
/// Source: RFC 3875 section 6.
class CgiResponse {
 public:
  static constexpr std::size_t kMaxBytes = 64 * 1024;  // of a block; what other servers allow is 8 to 64 KiB

  enum class Verdict {
    undecided,
    block,     // status(), reason() and fields() hold, the rest is in body()
    no_block,  // body() has everything so far
  };

  CgiResponse() = default;
  CgiResponse(const CgiResponse&) = delete;
  CgiResponse& operator=(const CgiResponse&) = delete;

  /// Takes the next piece of output; only while undecided.
  /// Errors: worker_protocol for a later line that is no field, a Status that is not 200 to 599 or stands there twice,
  ///         more than kMaxBytes behind a good first line. Do not feed again after an error.
  Result<Verdict> feed(std::string_view bytes);

  /// The output has ended. What is undecided has no block.
  Verdict end();

  Verdict verdict() const { return verdict_; }

  /// Of the Status field; without one 302 if there is a Location, else 200.
  int status() const { return status_; }
  /// Behind the code in the Status field; empty if there is none.
  std::string_view reason() const { return reason_; }
  /// All but Status, in the order they came; the views live as long as this object.
  std::span<const Field> fields() const { return fields_; }
  /// What was fed and is body. The view lives as long as this object.
  std::string_view body() const;

 private:
  Result<Verdict> take_lines();
  Result<Verdict> finish_block();
  Error read_status(std::string_view value);

  std::string bytes_;           // all that was fed
  std::size_t name_end_ = 0;    // the first line's name is good up to here
  std::size_t line_start_ = 0;  // of the first line that is not complete; of the body once there is a block
  std::size_t searched_ = 0;    // no line ends between line_start_ and here
  std::vector<Field> fields_;
  std::string_view reason_;
  int status_ = 0;
  Verdict verdict_ = Verdict::undecided;
};

}  // namespace fwd
