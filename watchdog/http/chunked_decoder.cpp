#include "watchdog/http/chunked_decoder.hpp"

#include <algorithm>
#include <charconv>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr int kSizeDigits = 16;  // as Go; more could not be a length
constexpr std::uint64_t kLargestChunk = ~std::uint64_t{0} >> 1;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

}  // namespace

ChunkedDecoder::ChunkedDecoder(Leniency leniency, ChunkedLimits limits) : leniency_(leniency), limits_(limits) {}

void ChunkedDecoder::reset() {
  *this = ChunkedDecoder(leniency_, limits_);
}

Result<std::string_view> ChunkedDecoder::next(std::string_view& input) {
  while (!input.empty() && state_ != State::done) {
    if (state_ == State::data) {
      const auto piece = input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size())));
      input.remove_prefix(piece.size());
      remaining_ -= piece.size();
      if (remaining_ == 0) state_ = State::data_cr;
      return piece;
    }
    if (state_ == State::failed) break;
    state_ = step(input.front());
    input.remove_prefix(1);
  }
  if (state_ == State::failed) return Error(Errc::malformed_request);
  return std::string_view();
}

/// One byte of framing.
ChunkedDecoder::State ChunkedDecoder::step(char c) {
  switch (state_) {
    case State::size_first:
    case State::size:
    case State::size_blank:
    case State::extension:
    case State::size_lf:
      return ++line_length_ > limits_.line_bytes ? State::failed : step_size(c);
    case State::data_cr:
      if (c == '\r') return State::data_lf;
      return c == '\n' && leniency_ == Leniency::bare_lf ? State::size_first : State::failed;
    case State::data_lf:
      return c == '\n' ? State::size_first : State::failed;
    case State::trailer_first:
    case State::trailer_name:
    case State::trailer_value:
    case State::trailer_lf:
    case State::last_lf:
      return ++line_length_ > limits_.trailer_bytes ? State::failed : step_trailer(c);
    default:
      return State::failed;
  }
}

/// A size line: digits, then blanks, an extension, or the end of the line.
ChunkedDecoder::State ChunkedDecoder::step_size(char c) {
  if (state_ == State::size_lf) return c == '\n' ? end_size_line() : State::failed;
  if (state_ == State::size_first || state_ == State::size) {
    const int digit = hex_value(c);
    if (digit < 0) return state_ == State::size ? after_size(c) : State::failed;
    remaining_ = (remaining_ << 4) | static_cast<std::uint64_t>(digit);
    return ++digits_ > kSizeDigits || remaining_ > kLargestChunk ? State::failed : State::size;
  }
  return after_size(c);
}

ChunkedDecoder::State ChunkedDecoder::after_size(char c) {
  const bool lenient = leniency_ == Leniency::bare_lf;
  if (c == '\r') return state_ == State::size_blank && !lenient ? State::failed : State::size_lf;
  if (c == '\n') return lenient ? end_size_line() : State::failed;
  if (state_ == State::extension) return is_control(c) ? State::failed : State::extension;
  if (c == ';') return State::extension;
  return c == ' ' || c == '\t' ? State::size_blank : State::failed;
}

/// Too much framing over too little data is an attack: bytes are cheap to send and costly to look at one by one.
ChunkedDecoder::State ChunkedDecoder::end_size_line() {
  constexpr std::uint64_t kFreeBytes = 16;  // per chunk, and two per byte of data: one-byte chunks stay legitimate
  excess_ += line_length_ + 2;
  const auto granted = kFreeBytes + 2 * std::min(remaining_, kLargestChunk / 4);
  excess_ -= std::min(excess_, granted);
  line_length_ = 0;
  digits_ = 0;
  if (excess_ > limits_.excess_bytes) return State::failed;
  return remaining_ > 0 ? State::data : State::trailer_first;
}

/// The lines behind the last chunk: fields that are dropped, then an empty line.
ChunkedDecoder::State ChunkedDecoder::step_trailer(char c) {
  const bool lenient = leniency_ == Leniency::bare_lf;
  switch (state_) {
    case State::trailer_first:
      if (c == '\r') return State::last_lf;
      if (c == '\n' && lenient) return State::done;
      return is_token_char(c) ? State::trailer_name : State::failed;
    case State::trailer_name:
      if (c == ':') return State::trailer_value;
      return is_token_char(c) ? State::trailer_name : State::failed;
    case State::trailer_value:
      if (c == '\r') return State::trailer_lf;
      if (c == '\n' && lenient) return State::trailer_first;
      return is_control(c) ? State::failed : State::trailer_value;
    case State::trailer_lf:
      return c == '\n' ? State::trailer_first : State::failed;
    default:
      return c == '\n' ? State::done : State::failed;  // last_lf
  }
}

void append_chunk_head(std::string& out, std::size_t size) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits)).append("\r\n");
}

}  // namespace fwd
