#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "modes/byte_ranges.hpp"
#include "modes/content_coding.hpp"
#include "modes/file_source.hpp"
#include "modes/mime_types.hpp"
#include "modes/multipart.hpp"
#include "watchdog/exchange.hpp"
#include "watchdog/http/http_date.hpp"

namespace fwd {

/// Answers a GET or HEAD with a file: preconditions, ranges, fields, and the bytes. Its buffers serve one answer after
/// the other.
class FileAnswer {
 public:
  /// What is to be sent.
  struct Subject {
    FoundFile file{};
    MimeType type{};
    ContentCoding coding = ContentCoding::identity;
  };

  /// Files and parts up to this size are read and sent with their head; larger ones go by BodySink::write_file().
  static constexpr std::size_t kReadBytes = 64 * 1024;

  FileAnswer() : buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

  /// `cache_control` is the value of that field; empty: none. It has to outlive the call.
  /// Errors: those of BodySink; the system's if the file cannot be read, ENODATA if it has become shorter meanwhile.
  Task<Error> send(Exchange& exchange, Subject subject, std::string_view cache_control);

  /// Lets go of the file and of what was large.
  void reset();

 private:
  Error find_type();
  void write_validators();
  void add_fields(int status, std::string_view type, std::string_view cache_control);
  Task<Error> send_whole(Exchange& exchange, std::string_view cache_control);
  Task<Error> send_part(Exchange& exchange, const ByteRange& range, std::string_view cache_control);
  Task<Error> send_parts(Exchange& exchange, std::string_view cache_control);
  Task<Error> send_bytes(BodySink& sink, const ByteRange& range);
  Task<Error> send_large(BodySink& sink, ByteRange range);
  Task<Error> write_parts(BodySink& sink);
  Task<Error> flush(BodySink& sink);
  Error append_bytes(const ByteRange& range);

  Subject subject_;
  std::string_view type_;
  std::string_view etag_;
  std::optional<std::int64_t> modified_;
  std::vector<ByteRange> ranges_;
  std::optional<Multipart> multipart_;
  std::vector<Field> fields_;
  std::array<char, 64> etag_text_{};
  HttpDateText date_text_{};
  std::optional<std::int64_t> date_of_text_;  // files of one site often have one date
  std::string range_text_;
  std::string out_;  // heads of parts, and what goes with them
  std::unique_ptr<char[]> buffer_;
};

}  // namespace fwd
