#include "watchdog/http/length_units.hpp"

#include <algorithm>
#include <cstring>

namespace fwd {
namespace {

/// The number of ASCII bytes at the front, eight at a time where possible.
std::size_t ascii_run(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t n = 0;
  for (; n + sizeof(std::uint64_t) <= text.size(); n += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + n, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (n < text.size() && static_cast<unsigned char>(text[n]) < 0x80) ++n;
  return n;
}

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Units of a four-byte sequence.
unsigned wide_units(LengthUnit unit) {
  return unit == LengthUnit::utf16 ? 2 : 1;
}

/// The valid sequence at the front of `text`: its size; 0 if it is cut off by the end; 1 for a byte that belongs to no
/// valid sequence.
std::size_t sequence_size(std::string_view text) {
  Utf8Steps steps;
  (void)steps.step(byte_at(text, 0), 1);
  std::size_t size = 1;
  for (; steps.pending() > 0; ++size) {
    if (size == text.size()) return 0;
    if (!steps.accepts(byte_at(text, size))) return 1;
    (void)steps.step(byte_at(text, size), 1);
  }
  return size;
}

}  // namespace

/// The first byte of a sequence; the bounds of the second are what keeps overlongs, surrogates and U+110000 out.
unsigned Utf8Steps::begin(unsigned char byte) {
  if (byte < 0xC2 || byte > 0xF4) return 1;  // ASCII, or never the first of anything
  have_ = 1;
  need_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  low_ = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
  high_ = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
  return 0;
}

unsigned Utf8Steps::step(unsigned char byte, unsigned wide) {
  if (have_ == 0) return begin(byte);
  if (!accepts(byte)) {
    const unsigned broken = have_;
    reset();
    return broken + begin(byte);
  }
  low_ = 0x80;
  high_ = 0xBF;
  ++have_;
  if (--need_ > 0) return 0;
  const unsigned units = have_ == 4 ? wide : 1;
  reset();
  return units;
}

/// The rest of a sequence that the last call handed out the beginning of.
std::size_t UnitCounter::finish_sequence(std::string_view input, std::uint64_t& remaining) {
  std::size_t taken = 0;
  while (inside_sequence() && taken < input.size()) {
    const auto byte = byte_at(input, taken);
    if (!steps_.accepts(byte)) {  // the bytes handed out count one each; this one is looked at anew
      remaining -= std::min<std::uint64_t>(remaining, steps_.pending());
      steps_.reset();
      break;
    }
    remaining -= std::min<std::uint64_t>(remaining, steps_.step(byte, wide_units(unit_)));
    ++taken;
  }
  return taken;
}

std::size_t UnitCounter::take(std::string_view input, std::uint64_t& remaining) {
  const auto finished = inside_sequence() ? finish_sequence(input, remaining) : 0;
  if (inside_sequence()) return finished;
  const auto taken = finished + take_whole(input.substr(finished), remaining);
  if (remaining == 0) return taken;
  for (char c : input.substr(taken)) (void)steps_.step(static_cast<unsigned char>(c), 1);  // pending: no units yet
  return input.size();
}

std::size_t UnitCounter::take_whole(std::string_view input, std::uint64_t& remaining) const {
  std::size_t taken = 0;
  const auto take_off = [&](std::size_t bytes, std::uint64_t units) {
    taken += bytes;
    remaining -= std::min(remaining, units);
  };
  if (unit_ == LengthUnit::bytes) {
    const auto size = std::min<std::uint64_t>(remaining, input.size());
    take_off(static_cast<std::size_t>(size), size);
    return taken;
  }
  while (remaining > 0 && taken < input.size()) {
    const auto rest = input.substr(taken);
    const auto ascii =
        ascii_run(rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining, rest.size()))));
    if (ascii > 0) {
      take_off(ascii, ascii);
      continue;
    }
    const auto size = sequence_size(rest);
    if (size == 0) break;
    take_off(size, size == 4 ? wide_units(unit_) : 1);
  }
  return taken;
}

void UnitSum::feed(std::string_view piece) {
  if (unit_ == LengthUnit::bytes) {
    units_ += piece.size();
    return;
  }
  const auto wide = wide_units(unit_);
  for (std::size_t i = 0; i < piece.size();) {
    if (!ends_inside_sequence()) {
      const auto run = ascii_run(piece.substr(i));
      units_ += run;
      i += run;
      if (i == piece.size()) return;
    }
    units_ += steps_.step(byte_at(piece, i++), wide);
  }
}

void UnitSum::reset() {
  units_ = 0;
  steps_.reset();
}

}  // namespace fwd
