#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/error.hpp"
#include "watchdog/http/field.hpp"

namespace fwd {

/// The head of an answer: what a function said. It owns its bytes; reuse one object and nothing is allocated once it is
/// warm. Views are valid until the next assign(). Neither copied nor moved.
class ResponseHead {
 public:
  ResponseHead() = default;
  ResponseHead(const ResponseHead&) = delete;
  ResponseHead& operator=(const ResponseHead&) = delete;

  /// Takes one complete head, the final empty line included. Lenient in what old functions do: lines that end in a bare
  /// LF, no reason phrase, more blanks after the version, blanks before a colon (removed, RFC 9112 5.1), folded lines
  /// (each fold becomes blanks, RFC 9112 5.2), repeated equal lengths, `Transfer-Encoding: identity`.
  /// Errors: worker_protocol for a status outside 100 to 599, an HTTP version that is not 1.x, control bytes in a
  ///         value, a line that is no field, two different lengths, a length and a coding both, a coding other than
  ///         chunked, chunked in HTTP/1.0.
  /// Source: reference/reliability.md section 5, "response splitting"; reference/afterburn.md 3.3.
  Error assign(std::string_view bytes);

  int status() const { return status_; }
  /// Empty when the function said none.
  std::string_view reason() const { return reason_; }
  /// 0 or 1; a later 1.x counts as 1.
  int minor_version() const { return minor_version_; }
  /// In the order received, repeated ones each.
  std::span<const Field> fields() const { return fields_; }
  /// The first value of `name`.
  std::optional<std::string_view> find(std::string_view name) const;
  std::optional<std::uint64_t> content_length() const { return content_length_; }
  bool chunked() const { return chunked_; }
  /// `Connection: close` was said, on any line. Old functions say it and go on: on a pipe it means nothing.
  bool closes() const { return closes_; }
  /// True if `name` is not to be passed on: hop-by-hop by itself, or named in a Connection line.
  bool is_for_this_hop(std::string_view name) const;

 private:
  Error parse_status_line(std::string_view line);
  Error parse_fields(char* p, char* end);
  Error add_field(char* begin, char* end);
  Error interpret();
  Error note_length(std::string_view value);
  Error note_coding(std::string_view value);

  std::string bytes_;
  std::vector<Field> fields_;
  std::string_view reason_;
  std::optional<std::uint64_t> content_length_;
  int status_ = 0;
  int minor_version_ = 1;
  bool has_coding_ = false;
  bool chunked_ = false;
  bool closes_ = false;
  bool connection_names_fields_ = false;
};

/// The standard phrase, as Go's http.StatusText has it; empty for a status that has none.
std::string_view reason_for(int status);

}  // namespace fwd
