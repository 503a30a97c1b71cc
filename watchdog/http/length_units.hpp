#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fwd {

/// What a function's runtime counts when it states a length.
enum class LengthUnit {
  bytes,
  codepoints,  // Python 3 text: len(str), every byte outside valid UTF-8 being one (surrogateescape)
  utf16,       // Node and the JVM: UTF-16 code units, a four-byte sequence being two
};

/// Follows UTF-8 byte by byte, as strictly as CPython's decoder: no overlong forms, no surrogates, nothing above
/// U+10FFFF. A byte that is not part of a valid sequence is a unit of its own.
/// Source: CPython's utf-8 decoder with surrogateescape (PEP 383); Unicode table 3-7.
class Utf8Steps {
 public:
  /// Units that are certain after `byte`, which were not before: 0 inside a sequence; 1 or `wide` at the end of a valid
  /// one; more when `byte` breaks a sequence, whose bytes then count one each.
  unsigned step(unsigned char byte, unsigned wide);
  /// True if `byte` goes on with the sequence that has begun; only asked while pending() > 0.
  bool accepts(unsigned char byte) const { return byte >= low_ && byte <= high_; }
  /// Bytes of a sequence that has begun and may still become valid.
  unsigned pending() const { return have_; }
  void reset() { have_ = need_ = 0; }

 private:
  unsigned begin(unsigned char byte);

  unsigned char have_ = 0;  // bytes seen of the sequence
  unsigned char need_ = 0;  // continuation bytes still missing
  unsigned char low_ = 0x80;
  unsigned char high_ = 0xBF;
};

/// Finds out which bytes of a stream make up a number of units.
class UnitCounter {
 public:
  explicit UnitCounter(LengthUnit unit) : unit_(unit) {}

  /// The number of bytes of `input` that belong to the first `remaining` units; takes the units off `remaining`.
  /// A sequence is never split. One that is cut by the end of `input` is handed out and its units are settled by the
  /// next call; should it then turn out invalid, it may be longer than what was left (remaining stops at 0).
  std::size_t take(std::string_view input, std::uint64_t& remaining);

  /// The same, but leaves a sequence that is cut by the end of `input` (at most 3 bytes) where it is: exact however the
  /// bytes are cut, if the caller comes again with the whole. Not to be mixed with take().
  std::size_t take_whole(std::string_view input, std::uint64_t& remaining) const;

  /// True if the last byte handed out is inside a sequence.
  bool inside_sequence() const { return steps_.pending() > 0; }

 private:
  std::size_t finish_sequence(std::string_view input, std::uint64_t& remaining);

  LengthUnit unit_;
  Utf8Steps steps_;
};

/// Units of a whole body, fed in pieces.
class UnitSum {
 public:
  explicit UnitSum(LengthUnit unit = LengthUnit::codepoints) : unit_(unit) {}

  void feed(std::string_view piece);
  /// As if the body ended here: in Python, `len(fed.decode("utf-8", "surrogateescape"))`.
  std::uint64_t units() const { return units_ + steps_.pending(); }
  /// True if the fed bytes end inside a sequence that could still become valid: a reader of characters then waits for
  /// more.
  bool ends_inside_sequence() const { return steps_.pending() > 0; }
  /// Ready for the next body.
  void reset();

 private:
  LengthUnit unit_;
  std::uint64_t units_ = 0;
  Utf8Steps steps_;
};

}  // namespace fwd
