#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "modes/byte_ranges.hpp"

namespace fwd {

/// The frame around several ranges of one file. Each part is: part_head(), the bytes. end() follows the last one.
/// Source: RFC 9110 section 14.6; RFC 2046 section 5.1.
class Multipart {
 public:
  /// `type` of the file, and its `size` in bytes. The boundary is random, so that no file holds it.
  Multipart(std::string_view type, std::uint64_t size);

  /// The value of Content-Type for the whole.
  std::string content_type() const { return "multipart/byteranges; boundary=" + boundary_; }

  void append_part_head(std::string& out, const ByteRange& range, bool first) const;
  void append_end(std::string& out) const;

  /// Of the whole body, in bytes.
  std::uint64_t length(std::span<const ByteRange> ranges) const;

 private:
  std::string_view type_;  // the text outlives this
  std::uint64_t size_;
  std::string boundary_;
};

/// Appends the value of Content-Range: `bytes 0-499/1234`.
void append_content_range(std::string& out, const ByteRange& range, std::uint64_t size);

}  // namespace fwd
