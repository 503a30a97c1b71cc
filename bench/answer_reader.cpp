#include "bench/answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <strings.h>

namespace fwd::bench {

/// What a head says about the end of its body.
struct AnswerReader::Framing {
  bool http_10 = false;
  bool has_length = false;
  bool chunked = false;
  bool other_coding = false;
  bool says_close = false;
  bool says_keep_alive = false;
  std::uint64_t length = 0;
};

namespace {

constexpr std::size_t kMaxHeadBytes = 64 * 1024;  // twice what our watchdog sends at most
constexpr unsigned kMaxLineBytes = 8 * 1024;      // chunk extensions, and a whole trailer
constexpr unsigned kMaxSizeDigits = 15;           // a chunk of 2^60 bytes
constexpr std::string_view kProtocol = "HTTP/1.";
constexpr auto kNone = std::string_view::npos;

bool same_nocase(std::string_view text, std::string_view other) {
  return text.size() == other.size() && ::strncasecmp(text.data(), other.data(), text.size()) == 0;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Calls `visit` with each element of a comma-separated list.
template <class Visit>
void for_each_element(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    visit(trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

/// The length of the head with its blank line, or kNone. Only what follows `seen` bytes is new.
std::size_t find_head_end(std::string_view bytes, std::size_t seen) {
  const auto first_line = bytes.find('\n');
  if (first_line == kNone) return kNone;
  const bool bare = first_line == 0 || bytes[first_line - 1] != '\r';
  const std::string_view blank = bare ? "\n\n" : "\r\n\r\n";
  const std::size_t from = std::max(first_line + 1 - blank.size() / 2, seen < 3 ? 0 : seen - 3);
  const void* found = ::memmem(bytes.data() + from, bytes.size() - from, blank.data(), blank.size());
  if (found == nullptr) return kNone;
  return static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + blank.size();
}

bool read_length(std::string_view text, std::uint64_t& length) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
  return failure == std::errc() && end == text.data() + text.size();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void AnswerReader::begin(bool to_head_request) {
  state_ = State::head;
  failure_ = Failure::none;
  to_head_request_ = to_head_request;
  started_ = keeps_connection_ = false;
  status_ = 0;
  digits_ = 0;
  left_ = body_bytes_ = 0;
  partial_head_.clear();
}

void AnswerReader::fail(Failure kind) {
  failure_ = kind;
  keeps_connection_ = false;
}

std::size_t AnswerReader::take(std::string_view bytes) {
  if (!bytes.empty()) started_ = true;
  std::size_t used = 0;
  while (used < bytes.size() && state_ != State::done && failure_ == Failure::none) {
    const auto rest = bytes.substr(used);
    used += state_ == State::head ? take_head(rest) : take_body(rest);
  }
  return used;
}

std::size_t AnswerReader::take_head(std::string_view bytes) {
  const std::size_t before = partial_head_.size();
  std::string_view all = bytes;
  if (before > 0) all = partial_head_.append(bytes.substr(0, kMaxHeadBytes + 1 - before));
  if (const auto known = std::min(all.size(), kProtocol.size()); all.substr(0, known) != kProtocol.substr(0, known)) {
    fail(Failure::not_http);
    return bytes.size();
  }
  const std::size_t end = find_head_end(all.substr(0, kMaxHeadBytes), before);
  if (end != kNone) {
    const bool good = read_head(all.substr(0, end));
    partial_head_.clear();
    if (!good) fail(Failure::malformed);
    return end - before;
  }
  if (all.size() > kMaxHeadBytes) fail(Failure::head_too_large);
  if (before == 0) partial_head_ = bytes.substr(0, kMaxHeadBytes + 1);
  return bytes.size();
}

bool AnswerReader::read_head(std::string_view head) {
  Framing framing;
  bool first = true;
  while (!head.empty()) {
    const auto end = head.find('\n');  // always found: the head ends in one
    auto line = head.substr(0, end);
    head.remove_prefix(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) break;
    if (!(first ? read_status_line(line, framing) : read_field(line, framing))) return false;
    first = false;
  }
  return !first && settle(framing);
}

bool AnswerReader::read_status_line(std::string_view line, Framing& framing) {
  constexpr std::size_t kStatusAt = 9;  // HTTP/1.1 200
  if (line.size() < kStatusAt + 3 || line[8] != ' ') return false;
  const char minor = line[7];
  if (minor != '0' && minor != '1') return false;
  status_ = 0;
  for (std::size_t i = kStatusAt; i < kStatusAt + 3; ++i) {
    if (line[i] < '0' || line[i] > '9') return false;
    status_ = status_ * 10 + (line[i] - '0');
  }
  framing.http_10 = minor == '0';
  return status_ >= 100 && status_ <= 599 && (line.size() == kStatusAt + 3 || line[kStatusAt + 3] == ' ');
}

bool AnswerReader::read_field(std::string_view line, Framing& framing) {
  const auto colon = line.find(':');
  if (colon == kNone || colon == 0) return false;
  const char before = line[colon - 1];
  if (before == ' ' || before == '\t' || line.front() == ' ' || line.front() == '\t') return false;
  const auto name = line.substr(0, colon);
  const auto value = [&] { return trim(line.substr(colon + 1)); };
  switch (name.size()) {  // most fields are none of ours: their length tells
    case 6:
      if (server_.empty() && same_nocase(name, "Server")) server_ = value();
      return true;
    case 10:
      if (!same_nocase(name, "Connection")) return true;
      for_each_element(value(), [&](std::string_view option) {
        framing.says_close |= same_nocase(option, "close");
        framing.says_keep_alive |= same_nocase(option, "keep-alive");
      });
      return true;
    case 14: {
      if (!same_nocase(name, "Content-Length")) return true;
      std::uint64_t length = 0;
      if (!read_length(value(), length) || (framing.has_length && framing.length != length)) return false;
      framing.has_length = true;
      framing.length = length;
      return true;
    }
    case 17:
      if (!same_nocase(name, "Transfer-Encoding")) return true;
      if (framing.chunked) return false;  // nothing may follow chunked
      for_each_element(value(), [&](std::string_view coding) {
        framing.other_coding |= framing.chunked || !same_nocase(coding, "chunked");
        framing.chunked = same_nocase(coding, "chunked");
      });
      return true;
    default:
      return true;
  }
}

/// Decides how the body ends. RFC 9112 section 6.3.
bool AnswerReader::settle(const Framing& framing) {
  if (status_ < 200)
    return status_ != 101;  // an interim answer: the real one follows. Nobody asked to switch protocols.
  const bool coded = framing.chunked || framing.other_coding;
  keeps_connection_ = !framing.says_close && (!framing.http_10 || (framing.says_keep_alive && !coded));
  if (to_head_request_ || status_ == 204 || status_ == 304) {
    state_ = State::done;
  } else if (framing.chunked) {
    state_ = State::chunk_size;
  } else if (framing.has_length && !coded) {
    expect_body(framing.length);
  } else {
    keeps_connection_ = false;
    state_ = State::until_close;
  }
  return true;
}

void AnswerReader::expect_body(std::uint64_t length) {
  left_ = length;
  state_ = length == 0 ? State::done : State::fixed_body;
}

std::size_t AnswerReader::take_body(std::string_view bytes) {
  const std::uint64_t blind = blind_bytes();
  if (blind == 0) {
    take_chunk_byte(bytes.front());
    return 1;
  }
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(blind, bytes.size()));
  skip(count);
  return count;
}

std::uint64_t AnswerReader::blind_bytes() const {
  if (failure_ != Failure::none) return 0;
  if (state_ == State::fixed_body || state_ == State::chunk_data) return left_;
  return state_ == State::until_close ? std::numeric_limits<std::uint64_t>::max() : 0;
}

void AnswerReader::skip(std::uint64_t count) {
  body_bytes_ += count;
  if (state_ == State::until_close) return;
  left_ -= count;
  if (left_ == 0) state_ = state_ == State::fixed_body ? State::done : State::chunk_cr;
}

void AnswerReader::take_chunk_byte(char c) {
  const auto expect = [&](char wanted, State next) { c == wanted ? void(state_ = next) : fail(Failure::bad_chunk); };
  const auto bounded = [&] {
    if (++digits_ > kMaxLineBytes) fail(Failure::bad_chunk);
  };
  switch (state_) {
    case State::chunk_size:
      if (const int digit = hex_digit(c); digit >= 0 && digits_ < kMaxSizeDigits) {
        left_ = left_ << 4 | static_cast<unsigned>(digit);
        ++digits_;
      } else if (digits_ == 0 || digit >= 0) {
        fail(Failure::bad_chunk);
      } else if (c == '\r') {
        state_ = State::chunk_size_end;
      } else if (c == ';' || c == ' ' || c == '\t') {
        state_ = State::chunk_extension;
      } else {
        fail(Failure::bad_chunk);
      }
      break;
    case State::chunk_extension:
      bounded();
      if (c == '\r') state_ = State::chunk_size_end;
      break;
    case State::chunk_size_end:
      digits_ = 0;
      expect('\n', left_ == 0 ? State::trailer : State::chunk_data);
      break;
    case State::chunk_cr:
      expect('\r', State::chunk_lf);
      break;
    case State::chunk_lf:
      expect('\n', State::chunk_size);
      break;
    case State::trailer:
      state_ = c == '\r' ? State::trailer_end : State::trailer_line;
      break;
    case State::trailer_line:
      bounded();
      if (c == '\n') state_ = State::trailer;
      break;
    case State::trailer_end:
      expect('\n', State::done);
      break;
    default:
      break;
  }
}

Failure AnswerReader::end_of_stream() {
  if (failure_ != Failure::none) return failure_;
  if (state_ == State::until_close) state_ = State::done;
  if (state_ == State::done) return Failure::none;
  fail(started_ ? Failure::truncated : Failure::empty);
  return failure_;
}

}  // namespace fwd::bench
