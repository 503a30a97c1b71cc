#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fwd {

/// A piece of a file. Never empty.
struct ByteRange {
  std::uint64_t first = 0;  // offset of its first byte
  std::uint64_t count = 0;  // in bytes

  std::uint64_t last() const { return first + count - 1; }
  bool operator==(const ByteRange&) const = default;
};

/// More than this in one request is nothing a client needs: the whole file is the answer.
inline constexpr std::size_t kMostRanges = 32;

/// What a Range field asks of a file.
struct RangeChoice {
  enum class Kind {
    whole,          // no range: answer 200. The field is malformed, in another unit, or asks for too much
    parts,          // `ranges` holds one or more: answer 206
    unsatisfiable,  // all of them lie behind the end: answer 416
  };
  Kind kind = Kind::whole;
  std::vector<ByteRange> ranges{};  // in the order asked for
};

/// Reads the value of a Range field for a file of `size` bytes. Ranges behind the end are left out; the others are cut
/// at the end. More than kMostRanges, or more bytes than the file has, are taken for no range at all; so is any range
/// of an empty file, of which no part can be named.
/// Source: RFC 9110 section 14.1 and 14.2.
RangeChoice choose_ranges(std::string_view field, std::uint64_t size);

}  // namespace fwd
